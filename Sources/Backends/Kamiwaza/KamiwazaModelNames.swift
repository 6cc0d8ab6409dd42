/// The names that an engine may know its model by, in the order to try (docs/kamiwaza.md 5.1).
struct KamiwazaModelNames {
  enum Name {
    case known(String)
    /// The one that the engine lists.
    case served
  }

  /// Seconds to wait for the engine's list.
  static let patience = 5.0

  private var left: ArraySlice<Name>
  private var used: Set<String> = []

  /// `last` worked before.
  init(last: String?, canonical: String?, shown: String?) {
    let first = [last, canonical].compactMap { $0.map { Name.known($0) } }
    let rest = [shown, "model", "kamiwaza"].compactMap { $0.map { Name.known($0) } }
    left = (first + [.served] + rest)[...]
  }

  mutating func next() -> Name? { left.popFirst() }

  /// false when it was used before.
  mutating func use(_ name: String) -> Bool { used.insert(name).inserted }
}
