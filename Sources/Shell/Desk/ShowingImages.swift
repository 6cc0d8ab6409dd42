import Chat
import Store
import Wire

/// Images of tools and agents, drawn below the line that says what they are (docs/screen.md 8).
extension Desk {
  /// So many of one result (docs/screen.md 8).
  private static let mostImages = 8

  /// Draws those that are among the blocks of a result.
  func show(imagesOf content: [ToolContent]) {
    guard options.output == .text, !options.isQuiet, observer == nil, world.terminal.traits.drawsImages else { return }
    let texts = content.lazy.compactMap { if case .image(let base64, _) = $0 { base64 } else { nil } }
    for text in texts.prefix(Self.mostImages) {
      // What cannot be drawn has been told of in words.
      if let image = try? CheckedImage(base64: text) { world.terminal.show(image) }
    }
  }

  /// Draws those of a result as it is kept.
  func show(imagesOf result: StoredResult?) {
    // What cannot be read as ours is shown as the model was given it.
    let whole = result?.whole.flatMap { try? JSON(parsing: $0) }
    show(imagesOf: whole?["content"]?.array?.compactMap(ToolContent.init(keptImage:)) ?? [])
  }
}

extension ToolContent {
  /// nil for a block that is no image.
  fileprivate init?(keptImage block: JSON) {
    guard block["type"]?.string == "image", let data = block["data"]?.string else { return nil }
    self = .image(base64: data, mimeType: "")
  }
}
