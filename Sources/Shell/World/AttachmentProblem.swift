/// Why a file cannot go along with a message.
package enum AttachmentProblem: Error, Sendable, Equatable {
  /// `nearest` are names in the same folder that may be meant.
  case missing(nearest: [String])
  case folder
  /// Neither a file nor a folder: `what` is such as `a pipe`.
  case special(_ what: String)
  case unreadable(reason: String)
  /// `limit` is the most of its kind, such as `a text`, that goes along; of any kind where it is nil.
  case tooLarge(bytes: Int, limit: Int, of: String?)
  case neitherTextNorImage
  /// It went along, and is to be printed.
  case noText
  /// It went along, and the history has it no more.
  case gone
  /// The model takes none; where it is nil, the server does not.
  case noImages(model: String?, server: String)

  /// How the person named the file.
  package enum Naming: Sendable, Equatable {
    /// To a command, or on the command line.
    case given
    /// It waits for the next message.
    case waiting
    /// As `@PATH` in the message.
    case mentioned
    /// It is part of an earlier message, which is asked again.
    case earlier
  }
}
