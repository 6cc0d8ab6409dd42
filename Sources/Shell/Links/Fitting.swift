import Chat
import Text

/// Whether what is attached to a message can go to a server, and in which form.
extension Link {
  /// The most of a text and of an image that goes along in a message, in bytes.
  static let textLimit = 10_000_000
  static let imageLimit = 20_000_000
  /// The most that is read of any file; a server that takes files has limits of its own.
  static let fileLimit = 64 << 20

  /// How it is given what is attached.
  /// - Parameter hasImages: whether it matters if the model takes them.
  mutating func attachmentForm(hasImages: Bool, _ desk: Desk) async throws(ShellError) -> AttachmentForm {
    if backend.abilities.contains(.takesFiles) { return .files }
    guard backend.abilities.contains(.images) else { return .words }
    // Whether a model takes images is a matter of its list.
    guard hasImages, hasModelList else { return .images }
    if mayTakeImages.contains(model ?? "") { return .images }
    let asked: Result<Bool?, BackendError> = await desk.interruptible {
      [backend, model] () throws(BackendError) in
      let told = await backend.takesImages(model)
      if Task.isCancelled { throw .cancelled }
      return told
    }
    guard case .success(let told) = asked else { throw .interrupted }
    if told == false { return .words }
    mayTakeImages.insert(model ?? "")
    return .images
  }

  /// Refuses what cannot go along.
  func require(_ files: [NamedFile], as form: AttachmentForm) throws(ShellError) {
    guard form != .files else { return }
    for file in files {
      if let problem = problem(of: file.file, as: form) {
        throw .attachment(file.file.name, problem, file.naming)
      }
    }
  }

  private func problem(of file: AttachedFile, as form: AttachmentForm) -> AttachmentProblem? {
    let bytes = file.size
    if file.image != nil {
      if form == .words {
        return .noImages(model: backend.abilities.contains(.images) ? model : nil, server: server.name)
      }
      return bytes > Link.imageLimit ? .tooLarge(bytes: bytes, limit: Link.imageLimit, of: "an image") : nil
    }
    guard file.isText else { return .neitherTextNorImage }
    return bytes > Link.textLimit ? .tooLarge(bytes: bytes, limit: Link.textLimit, of: "a text") : nil
  }

  /// What the person should know of texts that leave little room.
  /// - Parameter scale: how many tokens the server counts for one that is estimated.
  func crowding(_ files: [AttachedFile], as form: AttachmentForm, scale: Double) -> SafeText? {
    guard form != .files, let window else { return nil }
    let tokens = Int(Double(files.map(\.tokens).reduce(0, +)) * scale)
    guard tokens > window / 2 else { return nil }
    return "what is attached is about \(tokens) tokens of the \(window) that '\(model ?? server.name)' reads in all"
  }
}

/// A file and how the person named it.
struct NamedFile {
  var file: AttachedFile
  var naming: AttachmentProblem.Naming
}

extension AttachedFile {
  /// About so many tokens: a token is four bytes or more of most texts. What an image takes is the model's own affair.
  var tokens: Int { image == nil ? min(size, 1 << 40) / 4 : 0 }
}
