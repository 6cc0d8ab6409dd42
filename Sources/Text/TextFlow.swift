/// Text on its way to one channel: filtered, wrapped when the channel is a terminal, its last newlines held back so
/// that exactly one ends it.
package struct TextFlow: Sendable {
  package let isWrapped: Bool
  private var filter: Filter
  private var wrapper: Wrapper
  private var heldNewlines = 0
  private var hasBegun = false

  /// - Parameter columns: nil for a pipe, which gets the text as it came.
  package init(columns: Int?) {
    isWrapped = columns != nil
    filter = Filter(columns == nil ? .source : .block)
    wrapper = Wrapper(columns: columns ?? 80)
  }

  /// May change while the text flows, when the terminal is resized.
  package var columns: Int {
    get { wrapper.columns }
    set { wrapper.columns = newValue }
  }

  /// How many hidden characters were taken out.
  package var hidden: Int { filter.hidden }

  package mutating func feed(_ text: String) -> SafeText {
    let safe = filter.feed(text)
    return holdingNewlines(isWrapped ? wrapper.feed(safe) : safe)
  }

  /// The rest, without the newlines at its end; ready for another life.
  package mutating func finish() -> SafeText {
    var rest = filter.finish()
    if isWrapped { rest = wrapper.feed(rest) + wrapper.finish() }
    let text = holdingNewlines(rest)
    heldNewlines = 0
    hasBegun = false
    return text
  }

  private mutating func holdingNewlines(_ text: SafeText) -> SafeText {
    var body = text.string.utf8[...]
    if !hasBegun, isWrapped { body = body.drop { $0 == UInt8(ascii: "\n") } }
    guard let last = body.lastIndex(where: { $0 != UInt8(ascii: "\n") }) else {
      if hasBegun || !isWrapped { heldNewlines += body.count }
      return ""
    }
    hasBegun = true
    let end = body.index(after: last)
    let newlines = heldNewlines
    heldNewlines = body.distance(from: end, to: body.endIndex)
    return SafeText(filtered: String(repeating: "\n", count: newlines) + (String(body[..<end]) ?? ""))
  }
}
