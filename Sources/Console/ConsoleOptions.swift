/// What the caller decided about the terminal, from its options and the environment.
package struct ConsoleOptions: Sendable {
  /// A person sits at it: without an action an interrupt waits for the next one rather than end the process.
  package var isInteractive: Bool
  package var colour: Bool
  package var palette: Palette
  /// Status lines that replace one another.
  package var redraws: Bool
  /// The line editor; otherwise the terminal's own line mode, for terminals without cursor movement.
  package var edits: Bool

  /// Signs beyond ASCII of our own, which a locale without UTF-8 has none of.
  package var signs: Bool

  /// Whether it knows links, or passes over what it is told of them.
  package var links: Bool

  /// Whether a screen reader speaks what is shown.
  package var isSpoken: Bool

  /// How it is told to draw an image; nil where it cannot, or nobody wants it.
  package var images: ImageProtocol?

  package init(
    isInteractive: Bool, colour: Bool = true, palette: Palette = .dark, redraws: Bool = true, edits: Bool = true,
    signs: Bool = true,
    links: Bool = false, isSpoken: Bool = false, images: ImageProtocol? = nil
  ) {
    self.images = images
    self.palette = palette
    self.links = links
    self.isSpoken = isSpoken
    self.signs = signs
    self.isInteractive = isInteractive
    self.colour = colour
    self.redraws = redraws
    self.edits = edits
  }
}
