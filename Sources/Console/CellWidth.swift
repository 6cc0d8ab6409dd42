import CTerminal

/// How many cells a terminal gives to one character: emoji sequences two, otherwise the sum of its scalars.
func cellWidth(_ character: Character) -> Int {
  let scalars = character.unicodeScalars
  guard let first = scalars.first else { return 0 }
  if first.isASCII { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
  if scalars.count > 1, scalars.dropFirst().contains(where: joinsEmoji) { return 2 }
  return scalars.reduce(0) { $0 + max(0, Int(console_scalar_cells($1.value))) }
}

/// How many cells a text without control characters takes.
func cellWidth(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + cellWidth($1) } }

private func joinsEmoji(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x200D, 0xFE0F, 0x1F3FB...0x1F3FF, 0x1F1E6...0x1F1FF: true
  default: false
  }
}

/// The beginning of a text that fits into so many cells, with `…` where something was left out.
func cut(_ text: String, cells: Int) -> String {
  guard cellWidth(text) > cells else { return text }
  var kept = ""
  var width = 0
  for character in text {
    width += cellWidth(character)
    guard width < cells else { break }
    kept.append(character)
  }
  return cells > 0 ? kept + "…" : ""
}
