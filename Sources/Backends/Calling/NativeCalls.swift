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
    /// The last piece that began as an object of its own, when others had come before it.
    var lastObject: String?
    var sentBack = SentBack()
  }

  private var parts: [Part] = []
  /// The names of the offered tools.
  private let names: Set<String>

  init(names: Set<String> = []) { self.names = names }

  /// Returns the pieces of calls in a value: a list, one piece, or a map of pieces by their index.
  static func pieces(of value: JSON) -> [JSON] {
    guard let members = value.object else { return value.array ?? [value] }
    let isPiece = ["id", "function", "name"].contains { value[$0] != nil }
    return isPiece || !members.allSatisfy { $0.value.object != nil } ? [value] : members.map(\.value)
  }

  /// Adds a piece of a call. Returns events for a call that is new and for a name that was not known.
  mutating func take(_ piece: JSON) -> [ChatEvent] {
    guard piece.object != nil else { return [] }
    let function = piece["function"]?.object == nil ? piece : piece["function"] ?? piece
    let id = piece["id"]?.string ?? ""
    let name = (function["name"] ?? piece["function"])?.string?.trimmingBlanks ?? ""
    let given = function.firstValue(of: ToolCall.argumentKeys) ?? .null
    var old = place(of: piece["index"]?.int, id: id, name: name)
    var knownName = ""
    if let place = old, parts[place].isOver(before: given, name: name) {
      if parts[place].isRepeated(by: given, name: name) { return [] }
      (old, knownName) = (nil, parts[place].name)
    }
    guard let place = old ?? start(piece["index"]?.int) else { return [] }
    let earlierName = parts[place].name
    if parts[place].id.isEmpty { parts[place].id = id }
    parts[place].name = earlierName.isEmpty ? name.isEmpty ? knownName : name : joined(earlierName, name)
    parts[place].sentBack.add(call: piece)
    add(given, to: place)
    let newName = parts[place].name
    if old != nil && newName == earlierName { return [] }
    return [.toolCallComing(name: newName.isEmpty ? nil : newName)]
  }

  /// Joins two pieces of a name. A name of an offered tool is whole, and some servers repeat the name or all of it so far.
  private func joined(_ name: String, _ piece: String) -> String {
    if piece.isEmpty || piece == name { return name }
    let whole = piece.hasPrefix(name) ? piece : name + piece
    return names.contains(name) && !names.contains(whole) ? name : whole
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
      if !parts[place].arguments.isEmpty, piece.beginsObject { parts[place].lastObject = piece }
      parts[place].arguments += piece
    default: parts[place].arguments = arguments.serialized()
    }
  }

  /// The calls, when no more pieces come.
  mutating func finish() -> [ToolCall] {
    defer { parts = [] }
    return parts.flatMap { part in
      part.whole.enumerated().map { index, arguments in
        ToolCall(
          id: index == 0 ? part.id : "", name: part.name, arguments: arguments,
          sentBack: index == 0 ? part.sentBack.fields : nil)
      }
    }
  }
}

extension NativeCalls.Part {
  /// The arguments; several of them where a server has joined calls.
  fileprivate var whole: [ToolCall.Arguments] {
    let text = arguments.joiningHalves
    if name.isEmpty { return [.broken(text, .noName)] }
    if isTooLong { return [.broken(text, .unfinished)] }
    let read = ToolCall.Arguments(text: text)
    guard case .broken = read else { return [read] }
    if let objects = NativeCalls.Part.objects(in: text) { return objects.map { ToolCall.Arguments($0) } }
    // Each piece repeated what came before it.
    if let last = lastObject.map({ ToolCall.Arguments(text: $0.joiningHalves) }), case .object = last { return [last] }
    return [read]
  }

  /// The objects that stand one behind the other, those that repeat the one before left out; nil for any other text.
  private static func objects(in text: String) -> [JSON]? {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes)
      var objects: [JSON] = []
      do throws(JSON.Failure) {
        reader.skipBlanks()
        while !reader.isAtEnd {
          guard try reader.kind() == .object else { return nil }
          let object = try reader.value()
          if object != objects.last { objects.append(object) }
          reader.skipBlanks()
        }
      } catch { return nil }
      return objects.isEmpty ? nil : objects
    }
  }

  fileprivate var isWhole: Bool { object != nil }

  private var object: JSON? {
    guard arguments.last == "}" else { return nil }
    return try? JSON(parsing: arguments)  // only whether it is
  }

  /// Whether a piece that seems to belong to this call cannot: the arguments are whole, and others or another name come.
  fileprivate func isOver(before given: JSON, name: String) -> Bool {
    let isOther = !name.isEmpty && !self.name.isEmpty && name != self.name
    let begins = given.object != nil || given.string?.beginsObject == true
    return (isOther || begins) && isWhole
  }

  /// Whether a piece says this whole call again.
  fileprivate func isRepeated(by given: JSON, name: String) -> Bool {
    guard name.isEmpty || name == self.name, let object else { return false }
    return object == given || given.string.flatMap { try? JSON(parsing: $0) } == object  // else it is another
  }
}

extension String {
  fileprivate var beginsObject: Bool { utf8.first { !$0.isBlank } == UInt8(ascii: "{") }
}
