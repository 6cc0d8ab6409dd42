import Text

/// Which of the terminal's own sixteen colours say what: on a light background yellow and cyan cannot be read.
package enum Palette: Sendable, Equatable {
  case dark, light
  /// Bold and dim alone.
  case none

  /// The one that the person asked for; `auto` goes by what the terminal says of its background in COLORFGBG, as rxvt,
  /// Konsole and iTerm2 do, and else is one for dark ones (docs/screen.md 7).
  package init(theme: String?, colours: String?) {
    switch theme {
    case "light": self = .light
    case "none": self = .none
    case "dark": self = .dark
    default:
      let background = colours?.split(separator: ";").last.flatMap { Int($0) }
      self = background.map { $0 == 7 || (9...15).contains($0) } == true ? .light : .dark
    }
  }
}

/// What a style looks like on a terminal with colours (ECMA-48, Select Graphic Rendition).
extension Style {
  func code(_ palette: Palette) -> String {
    let codes = traits.codes + meaning.codes(palette)
    return codes.isEmpty ? "" : "\u{1B}[" + codes.joined(separator: ";") + "m"
  }
}

extension Style.Traits {
  fileprivate var codes: [String] {
    let known: [(Style.Traits, String)] = [(.strong, "1"), (.emphasis, "3"), (.underlined, "4"), (.struck, "9")]
    return known.filter { contains($0.0) }.map(\.1)
  }
}

extension Style.Meaning {
  fileprivate func codes(_ palette: Palette) -> [String] {
    switch (self, palette) {
    case (.plain, _): []
    case (.dim, _), (.hint, _), (.comment, _): ["2"]
    case (_, .none): []
    case (.good, _), (.string, _): ["32"]
    case (.error, _): ["31"]
    case (.keyword, _): ["35"]
    case (.accent, .dark), (.code, .dark), (.type, .dark): ["36"]
    case (.warning, .dark), (.number, .dark): ["33"]
    case (.function, .dark): ["94"]
    case (.accent, .light), (.code, .light), (.function, .light): ["34"]
    case (.warning, .light): ["35"]
    case (.number, .light), (.type, .light): ["36"]
    }
  }
}

let plainCode = "\u{1B}[0m"

extension [Span] {
  /// The bytes for a terminal with colours, or the characters alone.
  /// - Parameters:
  ///   - palette: the colours.
  ///   - signs: whether signs beyond ASCII of our own may be shown.
  ///   - links: whether addresses are told to the terminal (OSC 8; docs/screen.md 4).
  func bytes(
    inColour: Bool, palette: Palette = .dark, signs: Bool = true, links: Bool = false
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for span in self {
      let code = inColour && !span.text.isEmpty ? span.style.code(palette) : ""
      let link = links && !span.text.isEmpty ? span.link : nil
      bytes.append(run: span.text.string.utf8, code: code.utf8, link: link, signs: signs)
    }
    return bytes
  }
}

extension [UInt8] {
  /// A run of text as a terminal is told it.
  /// - Parameters:
  ///   - code: what begins its style; empty for plain text.
  ///   - link: where it leads, told by OSC 8.
  mutating func append(run words: some Collection<UInt8>, code: some Collection<UInt8>, link: LinkTarget?, signs: Bool)
  {
    if let link {
      self += linkStart
      self += link.url.utf8
      self += stringEnd
    }
    if !code.isEmpty { self += code }
    if signs { self += words } else { self += String(decoding: words, as: UTF8.self).replacing("…", with: "...").utf8 }
    if !code.isEmpty { self += plainBytes }
    if link != nil {
      self += linkStart
      self += stringEnd
    }
  }
}

/// OSC 8, and what ends it.
private let linkStart = Array("\u{1B}]8;;".utf8)
private let stringEnd = Array("\u{1B}\\".utf8)
private let plainBytes = Array(plainCode.utf8)
