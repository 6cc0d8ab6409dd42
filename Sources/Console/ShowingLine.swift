import Shell
import Text

/// What is seen of the line being typed.
extension Editor {
  func repaint() {
    line.suggested = nil
    if let search = line.search {
      let excerpt = search.excerpt
      loop.screen.paint(layout(of: excerpt.text, cursor: excerpt.cursor, prompt: search.prompt + excerpt.place))
    } else {
      let suggestion = suggested() ?? []
      let layout = layout(of: buffer.text, cursor: buffer.cursor, suggestion: suggestion)
      // In the last column there is no room for it.
      if layout.passing != nil { line.suggested = (state, suggestion) }
      loop.screen.paint(layout)
    }
  }

  /// How much of the screen the prompt and the line take.
  var layoutRows: Int { layout(of: buffer.text, cursor: buffer.cursor).textRows }

  private func layout(
    of text: EditText, cursor: Int, prompt: StyledText? = nil, suggestion: EditText = [], mark: StyledText = []
  ) -> Layout {
    let layout = Layout(
      prompt: prompt ?? line.request.promptNow?() ?? line.request.prompt, text: text, cursor: cursor,
      columns: loop.screen.size.columns, suggestion: suggestion, mark: mark, below: line.below, label: line.label)
    return loop.screen.options.colour ? layout : layout.uncoloured
  }

  /// Leaves the line as it was entered and goes below it.
  func finish(_ text: EditText, mark: StyledText = []) {
    line.below = []
    loop.screen.finishPrompt(layout(of: text, cursor: text.count, mark: mark))
  }
}
