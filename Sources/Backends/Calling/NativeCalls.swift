import Chat
import Wire

/// Joins the pieces of calls that a server sends beside the text. Servers differ: with or without an index, an id, in
/// pieces or whole.
struct NativeCalls {
  /// The most calls of an answer, and the most bytes of one's arguments; what is more is left out.
  private static let limit = 128
  private static let argumentsLimit = 1 << 20

  fileprivate struct Part {
    var index: Int?
    var id = ""
    var name = ""
    var arguments = ""
    /// Whether some of the arguments were left out: what came is not what the model wrote, even when it can be read.
    var isTooLong = false
  }

  private var parts: [Part] = []

  var isEmpty: Bool { parts.isEmpty }

  /// Takes the list of pieces of a chunk, and tells of calls that are new and names that were not known.
  mutating func take(_ list: JSON) -> [ChatEvent] { (list.array ?? []).flatMap { take(piece: $0) } }

  /// Takes the one call of servers from before there were lists.
  mutating func take(functionCall: JSON) -> [ChatEvent] { take(piece: ["index": -1, "function": functionCall]) }

  private mutating func take(piece: JSON) -> [ChatEvent] {
    guard piece.object != nil else { return [] }
    let function = piece["function"]?.object == nil ? piece : piece["function"] ?? piece
    let id = piece["id"]?.string ?? ""
    let name = function["name"]?.string?.trimmingBlanks ?? ""
    let old = place(of: piece["index"]?.int, id: id, name: name)
    guard let place = old ?? start(piece["index"]?.int) else { return [] }
    let wasNamed = !parts[place].name.isEmpty
    if parts[place].id.isEmpty { parts[place].id = id }
    if !wasNamed { parts[place].name = name }
    add(function["arguments"] ?? function["parameters"] ?? .null, to: place)
    let isNamed = !parts[place].name.isEmpty
    if old != nil && (wasNamed || !isNamed) { return [] }
    return [.toolCallComing(name: isNamed ? parts[place].name : nil)]
  }

  private mutating func start(_ index: Int?) -> Int? {
    guard parts.count < NativeCalls.limit else { return nil }
    parts.append(Part(index: index))
    return parts.count - 1
  }

  /// The call that a piece belongs to; nil when it begins another.
  private func place(of index: Int?, id: String, name: String) -> Int? {
    if let index {
      guard let place = parts.lastIndex(where: { $0.index == index }) else { return nil }
      // Some servers number all calls 0.
      let isOther = !id.isEmpty && !parts[place].id.isEmpty && id != parts[place].id && !name.isEmpty
      return isOther ? nil : place
    }
    if !id.isEmpty, let place = parts.lastIndex(where: { $0.id == id }) { return place }
    guard let last = parts.last, id.isEmpty || last.id.isEmpty && last.name.isEmpty else { return nil }
    // A name that is said again with each piece begins nothing, unless what it was said of is whole.
    let isSame = name.isEmpty || last.name.isEmpty || name == last.name && !last.isWhole
    return isSame ? parts.count - 1 : nil
  }

  private mutating func add(_ arguments: JSON, to place: Int) {
    switch arguments {
    case .null: break
    case .string(let piece):
      let count = parts[place].arguments.utf8.count + piece.utf8.count
      guard !parts[place].isTooLong, count <= NativeCalls.argumentsLimit else {
        parts[place].isTooLong = true
        return
      }
      parts[place].arguments += piece
    default: parts[place].arguments = arguments.serialized()
    }
  }

  /// The calls, when no more pieces come.
  mutating func finish() -> [ToolCall] {
    defer { parts = [] }
    return parts.map { part in
      ToolCall(id: part.id, name: part.name, arguments: part.whole)
    }
  }
}

extension NativeCalls.Part {
  fileprivate var whole: ToolCall.Arguments {
    if name.isEmpty { return .broken(arguments, .noName) }
    return isTooLong ? .broken(arguments, .unfinished) : ToolCall.Arguments(text: arguments.joiningHalves)
  }

  fileprivate var isWhole: Bool {
    guard arguments.last == "}" else { return false }
    return (try? JSON(parsing: arguments)) != nil  // only whether it is
  }
}
