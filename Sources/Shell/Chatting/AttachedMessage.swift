import Chat
import Text

extension Message {
  /// What a person asked, with what went along with it.
  init(asking text: String, with files: [AttachedFile], as form: AttachmentForm) {
    self.init(.user, text)
    guard form != .files else { return }
    for file in files {
      if form == .images, let image = AttachedImage(file) {
        images.append(image)
      } else {
        content += "\n\n" + file.block
      }
    }
  }
}

extension AttachedFile {
  /// The text byte for byte in a block that it cannot end, below its name and size; of what is no text, and of one that
  /// is nowhere any more, that alone.
  var block: String {
    guard let text else { return mark.string }
    let end = bytes.last.map { $0 == UInt8(ascii: "\n") } ?? true ? "" : ", no newline at its end"
    return Fence.around(text, label: "\(Filter.inline(name).string) (\(ByteSize.text(bytes.count).string)\(end)):")
  }
}
