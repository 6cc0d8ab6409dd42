import Wire

/// What stands around the sessions of a JSON document, by which it is known whose it is (docs/export.md 2).
struct DocumentFrame {
  var version = HistoryDocument.version
  var isOurs = false
  /// A list of conversations of ChatGPT, or one of them.
  var isChatGPT = false
  /// The same of a chat-ui server.
  var isChatUI = false
  var places: [Range<Int>]?
  var isKnown: Bool { isOurs || isChatGPT || isChatUI }

  mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSON.Failure) {
    var reader = JSONReader(bytes)
    switch try reader.kind() {
    case .array:
      var first = reader
      try first.beginArray()
      guard try first.nextElement(), try first.kind() == .object else { return }
      try recognise(first)
      if isKnown { places = try Self.elements(&reader) }
    case .object:
      try recognise(reader)
      if isKnown {
        try reader.skip()
        places = [0..<bytes.count]
      } else {
        try readOurs(&reader)
      }
    default: return
    }
    if isKnown { try reader.end() }
  }

  /// Whose conversation an object is that a reader stands before.
  private mutating func recognise(_ reader: JSONReader) throws(JSON.Failure) {
    var reader = reader
    var (hasMapping, hasMessages, hasTurns) = (false, false, false)
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "mapping": hasMapping = try reader.kind() == .object
      case "messages": hasMessages = try Self.areOfChatUI(reader)
      // It is ours, and is read for what is wrong in it.
      case "parley": return
      case "turns": hasTurns = true
      default: break
      }
      try reader.skip()
    }
    isChatGPT = hasMapping && !hasTurns
    isChatUI = hasMessages && !hasMapping && !hasTurns
  }

  private mutating func readOurs(_ reader: inout JSONReader) throws(JSON.Failure) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "parley" where try reader.kind() == .string: isOurs = try reader.string() == "history"
      case "version" where try reader.kind() == .number: version = try reader.number().int ?? version
      case "sessions" where try reader.kind() == .array: places = try Self.elements(&reader)
      default: try reader.skip()
      }
    }
  }

  /// Whether a list that a reader stands before has a message first that says whom it is from.
  private static func areOfChatUI(_ reader: JSONReader) throws(JSON.Failure) -> Bool {
    var reader = reader
    guard try reader.kind() == .array else { return false }
    try reader.beginArray()
    guard try reader.nextElement(), try reader.kind() == .object else { return false }
    try reader.beginObject()
    while let key = try reader.nextKey() {
      if key == "from" { return try reader.kind() == .string }
      try reader.skip()
    }
    return false
  }

  private static func elements(_ reader: inout JSONReader) throws(JSON.Failure) -> [Range<Int>] {
    var places: [Range<Int>] = []
    try reader.beginArray()
    while try reader.nextElement() {
      let start = reader.offset
      try reader.skip()
      places.append(start..<reader.offset)
    }
    return places
  }
}
