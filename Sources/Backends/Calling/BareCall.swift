import Chat
import Wire

/// Parses an answer that consists of one tool call, as Llama 3 writes it: `{"name": …, "parameters": …}`, alone or after
/// `<|python_tag|>`. Buffers the text while it may still be a call.
struct BareCall {
  /// The most bytes that are buffered, and the number of bytes within which the name must come.
  private static let limit = 64 << 10
  private static let nameLimit = 1 << 10
  private static let tag = Array("<|python_tag|>".utf8)
  private static let keys = ["name", "type", "function", "tool_name", "tool", "id", "parameters", "arguments"].map {
    Array("\"\($0)\"".utf8)
  }

  private enum State { case possible, named, passed }

  /// The tools that were offered.
  private let names: Set<String>
  private var state = State.possible
  private var held: [UInt8] = []

  init(names: Set<String>) { self.names = names }

  /// Returns the text that cannot belong to a call, and the name of the call once it is known.
  mutating func take(_ piece: String) -> (text: [UInt8], name: String?) {
    if state == .passed { return (Array(piece.utf8), nil) }
    held += piece.utf8
    if held.count > BareCall.limit { return (pass(), nil) }
    guard state == .possible else { return ([], nil) }
    guard let name = likelyName else { return (mayBecomeCall ? [] : pass(), nil) }
    guard names.contains(name) else { return (pass(), nil) }
    state = .named
    return ([], name)
  }

  /// Ends the text. Returns the buffered text, or the calls parsed from it.
  mutating func end() -> (text: [UInt8], calls: [ToolCall]) {
    guard state == .named else { return (pass(), []) }
    let calls = ToolCall.calls(inBlock: body)
    guard calls.allSatisfy({ names.contains($0.name) && !$0.isBroken }) else { return (pass(), []) }
    (held, state) = ([], .passed)
    return ([], calls)
  }

  private mutating func pass() -> [UInt8] {
    state = .passed
    defer { held = [] }
    return held
  }

  /// The buffered text without leading white space and the tag.
  private var body: ArraySlice<UInt8> {
    let text = held.drop(while: \.isBlank)
    return text.starts(with: BareCall.tag) ? text.dropFirst(BareCall.tag.count).drop(while: \.isBlank) : text
  }

  private var likelyName: String? { Array(body).withUnsafeBufferPointer { ToolCall.likelyName(in: $0) } }

  private var mayBecomeCall: Bool {
    let body = body
    guard held.count <= BareCall.nameLimit else { return false }
    if body.isEmpty || BareCall.tag.starts(with: body) { return true }
    guard body.first == UInt8(ascii: "{") else { return false }
    let key = body.dropFirst().drop(while: \.isBlank)
    return BareCall.keys.contains { $0.starts(with: key.prefix($0.count)) }
  }
}
