import Wire

/// A Markdown code block that its content cannot end.
package enum Fence {
  /// - Parameter label: said on a line above the block.
  package static func around(_ text: String, label: String = "") -> String {
    var longest = 2
    var run = 0
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    let fence = String(repeating: "`", count: longest + 1)
    return (label.isEmpty ? "" : label + "\n") + fence + "\n" + text.withFinalNewline + fence
  }
}
