import Foundation

/// Asking a terminal to put text on the clipboard (xterm's OSC 52).
enum Clipboard {
  /// - Returns: nil where the kind of terminal has no such thing.
  static func command(for text: String, environment: [String: String]) -> String? {
    let kind = environment["TERM"] ?? ""
    guard !["", "dumb", "linux", "unknown"].contains(kind) else { return nil }
    let command = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
    guard environment["STY"] != nil else { return command }
    // GNU screen hands on what stands in a DCS, some hundred bytes at a time.
    return stride(from: 0, to: command.utf8.count, by: 512).map { start in
      "\u{1B}P" + String(decoding: Array(command.utf8.dropFirst(start).prefix(512)), as: UTF8.self) + "\u{1B}\\"
    }.joined()
  }
}
