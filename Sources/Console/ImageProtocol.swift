import Chat
import Foundation

/// How a terminal is told to draw an image (docs/screen.md 8). Nothing is asked of it: its answer would be typed into
/// whatever reads the keyboard next.
package enum ImageProtocol: Sendable, Equatable {
  /// The kitty graphics protocol, which takes PNG alone: kitty, Ghostty.
  case kitty
  /// iTerm2's inline images: iTerm2, WezTerm.
  case iTerm2

  /// What stands between us and the terminal that the other variables speak of.
  private static let between = ["TMUX", "STY", "ZELLIJ", "NVIM", "VIM_TERMINAL", "INSIDE_EMACS"]
  /// Terminals that may have been started from kitty, and inherited what it says of itself.
  private static let others = [
    "TERM_PROGRAM", "VTE_VERSION", "XTERM_VERSION", "KONSOLE_VERSION", "ALACRITTY_WINDOW_ID",
  ]

  /// nil where images are not known to be drawn.
  package init?(_ environment: [String: String]) {
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    let term = environment["TERM"] ?? ""
    if Self.between.contains(where: isSet) || term.hasPrefix("screen") || term.hasPrefix("tmux") { return nil }
    switch (term, environment["TERM_PROGRAM"]) {
    case ("xterm-kitty", _), ("xterm-ghostty", _), (_, "ghostty"): self = .kitty
    case (_, "iTerm.app"), (_, "WezTerm"): self = .iTerm2
    default:
      if isSet("KITTY_WINDOW_ID"), !Self.others.contains(where: isSet) {
        self = .kitty
      } else if environment["LC_TERMINAL"] == "iTerm2" {
        self = .iTerm2
      } else {
        return nil
      }
    }
  }

  /// The bytes that draw an image from the beginning of a line on, and leave the cursor at the beginning of the one below.
  /// - Returns: nil for a format that the terminal does not take.
  func bytes(drawing image: CheckedImage, over extent: ImageExtent) -> [UInt8]? {
    if self == .kitty, image.format != .png { return nil }
    // Room is made first: then nothing scrolls while it is drawn, and the way back is known, wherever a terminal leaves
    // the cursor.
    let room = Array(repeating: "\r\n", count: extent.rows).joined() + "\u{1B}[\(extent.rows)A"
    let below = "\u{1B}8\u{1B}[\(extent.rows)B\r"
    return Array((room + "\u{1B}7").utf8) + sequence(image, extent) + Array(below.utf8)
  }

  private func sequence(_ image: CheckedImage, _ extent: ImageExtent) -> [UInt8] {
    let data = Array(Data(image.bytes).base64EncodedData())
    switch self {
    case .kitty: return Self.pieces(data, extent)
    case .iTerm2:
      let head =
        "\u{1B}]1337;File=inline=1;size=\(image.bytes.count);width=\(extent.columns);height=\(extent.rows)"
        + ";preserveAspectRatio=1:"
      return Array(head.utf8) + data + [0x07]
    }
  }

  /// 4096 bytes each, as the protocol wants it; `q=2` has the terminal say nothing.
  private static func pieces(_ data: [UInt8], _ extent: ImageExtent) -> [UInt8] {
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: data.count, by: 4096) {
      let end = min(start + 4096, data.count)
      let first = start == 0 ? "a=T,f=100,c=\(extent.columns),r=\(extent.rows)," : ""
      bytes += "\u{1B}_G\(first)q=2,m=\(end < data.count ? 1 : 0);".utf8 + data[start..<end] + "\u{1B}\\".utf8
    }
    return bytes
  }
}
