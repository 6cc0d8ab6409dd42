/// How a server is given what is attached to a message.
enum AttachmentForm: Sendable, Equatable {
  /// As files of their own, beside the last message.
  case files
  /// Texts in the words of the message, images beside them.
  case images
  /// The same for texts; of an image its name alone.
  case words
}
