import Chat
import Text

extension AttachedFile {
  /// What it is in few words, such as `text, 12 lines, 3 KB`.
  var about: SafeText {
    let size = ByteSize.text(size)
    switch kind {
    case .image(let image):
      let extent: SafeText = image.size.map { " \($0.width)x\($0.height)" } ?? ""
      return "image, \(image.format.rawValue)\(extent), \(size)"
    case .text(let lines): return lines == 1 ? "text, 1 line, \(size)" : "text, \(lines) lines, \(size)"
    case .other: return "neither text nor image, \(size)"
    }
  }

  /// The line that tells of it, when it is sent and afterwards: a long text would bury what was typed.
  var line: SafeText { "attached \(name) (\(about))" }

  /// Where it stood beside an earlier message, such as `[image pic.png, 24 KB]`.
  var mark: SafeText {
    "[\(image == nil ? "" : "image " as SafeText)\(name), \(ByteSize.text(size))]"
  }
}

extension Wording {
  /// What is said of names in a message that are no files; nil of none.
  /// - Parameter nearest: to the first.
  static func missing(_ names: [String], nearest: [String]) -> SafeText? {
    guard let first = names.first else { return nil }
    if names.count > 1 { return "no files '\(names.joined(separator: "', '"))': only their names are sent" }
    return "no file '\(first)': only its name is sent"
      + (nearest.isEmpty ? "" : "; did you mean \(Complaint.either(nearest))?")
  }
}

extension Wording {
  /// The warning about text that is not UTF-8.
  static func repaired(_ name: SafeText) -> SafeText {
    "\(name) is not UTF-8: what cannot be read is sent as \u{FFFD}; iconv -t UTF-8 converts it"
  }
}

extension Complaint {
  /// Why a file cannot go along with a message.
  init(_ problem: AttachmentProblem, of name: String, _ naming: AttachmentProblem.Naming) {
    let away: SafeText? =
      switch naming {
      case .given: nil
      case .waiting: "/detach \(Words.quoted(name)) takes it off"
      case .mentioned: "remove the @ to send only the name"
      case .earlier: "/edit asks something else in its place"
      }
    switch problem {
    case .missing(let nearest):
      self.init(
        "no file '\(name)'", hint: nearest.isEmpty ? away : "did you mean \(Complaint.either(nearest))?", .usage)
    case .folder: self.init("\(name) is a folder", hint: "name the files in it", .usage)
    case .special(let what): self.init("\(name) is \(what), and no file", hint: away, .usage)
    case .unreadable(let reason): self.init("cannot read \(name) (\(reason))", hint: away, .usage)
    case .tooLarge(let bytes, _, nil):
      self.init(
        "\(name) is too large to go along (\(ByteSize.text(bytes)))",
        hint: away ?? "texts of 10 MB and images of 20 MB are not", .usage)
    case .tooLarge(let bytes, let limit, let kind?):
      self.init(
        "\(name) is too large (\(ByteSize.text(bytes))): of \(kind) at most \(ByteSize.text(limit)) go along",
        hint: away, .usage)
    case .neitherTextNorImage:
      self.init(
        "\(name) is neither text nor an image that models take",
        hint: away ?? "text in UTF-8, PNG, JPEG, GIF and WebP go along",
        .usage)
    case .gone:
      self.init(
        "the history has \(name) no more",
        hint: naming == .earlier ? "/attach \(Words.quoted(name)) has it go with a new message" : nil, .usage)
    case .noText: self.init("\(name) is not text, and cannot be printed", .usage)
    case .noImages(let model?, _):
      self.init(
        "model '\(model)' takes no images: \(name) cannot go along",
        hint: "/model chooses another" + (away.map { "; \($0)" } ?? ""), .usage)
    case .noImages(nil, let server):
      self.init("server '\(server)' takes no images: \(name) cannot go along", hint: away, .usage)
    }
  }
}
