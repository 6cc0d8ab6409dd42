import Chat
import Foundation
import Wire

/// A session from the JSON of an export (docs/export.md 1). Numbers and names that no history has are mended, so that
/// what was written by hand can be read.
extension KeptSession {
  /// nil for what is no session.
  /// - Parameter json: all but its turns.
  init?(header json: JSON, turns: [KeptTurn]) {
    guard json.object != nil, let name = json["id"]?.string else { return nil }
    var session = Session(
      id: SessionID(Self.isName(name) ? name : randomID()), title: json["title"]?.string,
      systemPrompt: json["systemPrompt"]?.string, sampling: Sampling(json["sampling"] ?? .null),
      server: json["server"].flatMap { Server(kept: $0) }, model: json["model"]?.string)
    session.titleIsManual = json["titleIsManual"]?.bool ?? false
    session.remote = json["remote"]?.string
    session.createdAt = json.moment("createdAt") ?? turns.first?.createdAt ?? 0
    session.updatedAt = json.moment("updatedAt") ?? turns.last?.createdAt ?? session.createdAt
    session.isArchived = json["archived"]?.bool ?? false
    session.isPinned = json["pinned"]?.bool ?? false
    session.tags = (json["tags"]?.array ?? []).compactMap(\.string).filter(Self.isTag).sorted()
    let opening = json["opening"]?.string ?? turns.first?.messages.first?.content ?? ""
    self.init(session, opening: FirstWords.of(opening), head: json["head"]?.int, turns: turns)
  }

  /// Whether a word may be the name of a session or a message, which people see and type.
  static func isName(_ word: String) -> Bool {
    (1...100).contains(word.utf8.count)
      && word.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || "-_".utf8.contains(byte)
      }
  }

  private static func isTag(_ word: String) -> Bool {
    (1...100).contains(word.utf8.count)
      && !word.unicodeScalars.contains { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
  }
}

extension KeptTurn {
  init?(_ json: JSON) {
    guard let number = json["number"]?.turnNumber, let messages = json["messages"]?.array
    else { return nil }
    let moment = json.moment("createdAt") ?? 0
    let names = RemoteName(question: json["remoteQuestion"]?.string, answer: json["remoteAnswer"]?.string)
    self.init(
      number: number, parent: json["parent"]?.int, createdAt: moment,
      remote: names == RemoteName(question: nil, answer: nil) ? nil : names,
      files: (json["attachments"]?.array ?? []).compactMap { AttachedFile(kept: $0) },
      messages: messages.compactMap { KeptMessage($0, moment) })
    contextStart = json["contextStart"]?.turnNumber
    contextEnd = json["contextEnd"]?.turnNumber
  }
}

extension KeptMessage {
  fileprivate init?(_ json: JSON, _ moment: Int) {
    guard let role = json["role"]?.string.flatMap(Role.init), let content = json["content"]?.string else { return nil }
    let id = json["id"]?.string.flatMap { KeptSession.isName($0) ? $0 : nil }
    self.init(id: id ?? randomID(), role, content, createdAt: json.moment("createdAt") ?? moment)
    reasoning = json["reasoning"]?.string ?? ""
    status = json["status"]?.string.map { AnswerStatus(rawValue: $0) ?? .interrupted }
    model = json["model"]?.string
    server = json["server"]?.string
    error = json["error"]?.string
    usage = Usage(
      promptTokens: json["promptTokens"]?.count, completionTokens: json["completionTokens"]?.count,
      cost: json["cost"]?.double)
    firstTokenMs = json["firstTokenMs"]?.int
    totalMs = json["totalMs"]?.int
    toolCalls = json["toolCalls"].flatMap { $0.string ?? ($0.array == nil ? nil : $0.serialized()) }
    toolName = json["toolName"]?.string
    toolCallID = json["toolCallId"]?.string
    toolStatus = json["toolStatus"]?.string
    toolResult = json["toolResult"]?.string
    toolMs = json["toolMs"]?.int
    // An answer without an end would count as one that another process is writing.
    if role == .assistant, toolCalls == nil, status == nil { status = .interrupted }
  }
}

extension AttachedFile {
  fileprivate init?(kept json: JSON) {
    guard let name = json["name"]?.string else { return nil }
    let path = json["path"]?.string ?? name
    if let data = json["data"]?.string {
      guard let bytes = Data(base64Encoded: data) else { return nil }
      self.init(path: path, name: name, bytes: Array(bytes))
    } else {
      guard let digest = json["sha256"]?.string, let size = json["size"]?.count else { return nil }
      var kind = Kind.other
      if let format = json["image"]?.string.flatMap(ImageHeader.Format.init) {
        var extent: ImageHeader.Size?
        if let width = json["width"]?.int, let height = json["height"]?.int {
          extent = ImageHeader.Size(width: width, height: height)
        }
        kind = .image(ImageHeader(format: format, size: extent))
      } else if let lines = json["lines"]?.int {
        kind = .text(lines: lines)
      }
      self.init(path: path, name: name, size: size, kind: kind, digest: digest)
    }
  }
}

extension Sampling {
  fileprivate init(_ json: JSON) {
    self.init(
      temperature: json["temperature"]?.double, topP: json["topP"]?.double, maxTokens: json["maxTokens"]?.int,
      seed: json["seed"]?.int, stop: (json["stop"]?.array ?? []).compactMap(\.string))
  }
}

extension Server {
  fileprivate init?(kept json: JSON) {
    guard let name = json["name"]?.string, let kind = json["kind"]?.string, let url = json["url"]?.string else {
      return nil
    }
    self.init(name: name, kind: kind, url: url)
  }
}

extension JSON {
  /// Turns are counted from 1, and there are not more.
  fileprivate var turnNumber: Int? { int.flatMap { (1...Int(Int32.max)).contains($0) ? $0 : nil } }

  /// Of tokens or bytes: what one reckons with.
  fileprivate var count: Int? { int.flatMap { (0...1_000_000_000_000).contains($0) ? $0 : nil } }

  /// Milliseconds that a history can reckon with: from 1970 to the year 9999.
  fileprivate func moment(_ key: String) -> Int? {
    self[key]?.int.flatMap { (0...253_402_300_799_999).contains($0) ? $0 : nil }
  }
}
