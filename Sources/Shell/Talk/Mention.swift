import Chat
import Text

/// A file of this machine that a typed message names as `@PATH`. What comes from a file or a server names nothing
/// (docs/rules.md A8).
struct Mention: Sendable, Equatable {
  /// As it was typed.
  var name: String

  /// Those in a message; what ends a sentence is no part of one, and quotes keep blanks together.
  static func all(in text: String, isThere: (String) -> Bool) -> [Mention] {
    var found: [Mention] = []
    for place in places(in: text) {
      var path = String(String.UnicodeScalarView(place.path))
      if !place.isQuoted {
        while !isThere(path), let last = path.last, ".,;:!?)\"'".contains(last) { path.removeLast() }
      }
      guard !path.isEmpty, isThere(path), !found.contains(Mention(name: path)) else { continue }
      found.append(Mention(name: path))
    }
    return found
  }

  /// The quoted one at the end of a text that goes on, and where it begins, in scalars.
  static func unfinished(in text: String) -> (start: Int, path: String)? {
    guard let last = places(in: text).last, last.isQuoted, !last.isClosed else { return nil }
    return (last.start, String(String.UnicodeScalarView(last.path)))
  }

  /// As it is typed; nil for a name that no quotes hold. That of a folder goes on behind an open quote.
  static func spelled(_ path: String) -> String? {
    guard path.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "\"" }) else { return "@" + path }
    guard let quote = ["'", "\""].first(where: { !path.contains($0) }) else { return nil }
    return "@" + quote + path + (path.hasSuffix("/") ? "" : quote)
  }

  private struct Place {
    var start: Int
    var path: ArraySlice<Unicode.Scalar>
    var isQuoted = false
    var isClosed = true
  }

  /// Each `@` that begins a word, with what follows it.
  private static func places(in text: String) -> [Place] {
    let scalars = Array(text.unicodeScalars)
    var found: [Place] = []
    var index = 0
    while index < scalars.count {
      guard scalars[index] == "@", index == 0 || scalars[index - 1].properties.isWhitespace else {
        index += 1
        continue
      }
      let rest = scalars[(index + 1)...]
      var place = Place(start: index, path: rest.prefix { !$0.properties.isWhitespace })
      if let quote = rest.first, quote == "'" || quote == "\"" {
        let path = rest.dropFirst().prefix { $0 != quote }
        place = Place(start: index, path: path, isQuoted: true, isClosed: path.endIndex < scalars.count)
      }
      found.append(place)
      index = place.path.endIndex
    }
    return found
  }
}

extension Talk {
  /// What goes along with the message: each file that it names, for a server that takes files; to another it goes as its
  /// name alone, which the person should know.
  mutating func takeMentioned(for backend: any Backend, _ desk: Desk) -> [AttachedFile] {
    defer { mentioned = [] }
    guard backend.abilities.contains(.takesFiles) else {
      for mention in mentioned { sayUnattached(mention.name, desk) }
      return []
    }
    return mentioned.compactMap { mention in
      do throws(FileProblem) {
        // A pipe would be waited for.
        guard [.file, .link].contains(desk.world.fileFacts(mention.name)?.kind) else {
          throw FileProblem(path: mention.name, reason: "it is no ordinary file")
        }
        let bytes = try desk.world.readBytes(mention.name)
        desk.say("attached \(mention.name), \(ByteSize.text(bytes.count))")
        return AttachedFile(path: desk.world.absolutePath(mention.name), name: mention.name, bytes: bytes)
      } catch {
        desk.say("@\(mention.name) is not attached (\(error.reason)): only its name is sent", .warning)
        return nil
      }
    }
  }

  private func sayUnattached(_ path: String, _ desk: Desk) {
    desk.say(
      desk.options.isInteractive
        ? "@\(path) is sent as these letters: !!cat \(Words.quoted(path)) joins the file's text to the next message"
        : "@\(path) is sent as these letters: < \(Words.quoted(path)) behind the words joins the file's text")
  }
}
