import Chat
import Text

/// What an image is, in few words.
enum ImageWording {
  /// `PNG 320x200, 12 KB`, or why it is not drawn.
  static func words(_ image: Result<CheckedImage, CheckedImage.Problem>) -> String {
    switch image {
    case .success(let image):
      "\(image.format.rawValue) \(image.size.width)x\(image.size.height), \(ByteSize.text(image.bytes.count).string)"
    case .failure(.notBase64): "its data is broken"
    case .failure(.noImage): "no PNG, JPEG or GIF"
    case .failure(.cutOff): "cut off"
    case .failure(.tooLarge): "too large to draw"
    }
  }
}

extension MarkdownImages {
  /// As this program can tell and draw them.
  static let described = MarkdownImages(mostBytes: CheckedImage.longestAddress) { address in
    let image = Result { () throws(CheckedImage.Problem) in try CheckedImage(dataAddress: address) }
    return (Filter.inline(ImageWording.words(image)), (try? image.get()) != nil)
  }
}
