/// How a model's weights are packed, as the names of its files tell (docs/kamiwaza.md 7).
enum Quantization {
  /// Those that the server lists, else those of the files, else those of the model's own names; each once, in order.
  static func all(of model: Kamiwaza.CatalogModel) -> [String] {
    if !model.availableQuantizations.isEmpty { return model.availableQuantizations }
    let ofFiles = distinct(model.files.flatMap { named(in: $0.name) })
    return ofFiles.isEmpty ? distinct([model.repository, model.name].compactMap { $0 }.flatMap(named)) : ofFiles
  }

  /// Such as `Q4_K_M`, `AWQ` or `4bit`.
  static func named(in name: String) -> [String] {
    // "4-bit" is one word.
    let name = name.replacing("-bit", with: "bit")
    let parts = name.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.split(separator: "_") }
    return parts.flatMap(named)
  }

  /// `words` stand between two signs that are not `_`.
  private static func named(in words: [Substring]) -> [String] {
    var found: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      let upper = word.uppercased()
      if isGGUF(upper) {
        let tail = rest.prefix { tails.contains($0.uppercased()) }
        rest = rest.dropFirst(tail.count)
        found.append(([upper] + tail.map { $0.uppercased() }).joined(separator: "_"))
      } else if known.contains(upper) {
        found.append(upper)
      } else if let bits = bits(upper) {
        found.append("\(bits)bit")
      } else if upper.allSatisfy(\.isNumber), let bits = Int(upper), sizes.contains(bits),
        rest.first?.lowercased() == "bit"
      {
        rest.removeFirst()
        found.append("\(bits)bit")
      }
    }
    return found
  }

  private static let tails: Set = ["K", "S", "M", "L", "XL", "XS", "XXS", "NL", "0", "1", "4", "8"]
  private static let sizes: Set = [2, 3, 4, 5, 6, 8, 16]
  private static let known: Set = [
    "AWQ", "GPTQ", "EXL2", "EXL3", "HQQ", "AQLM", "NF4", "FP4", "FP8", "FP16", "F16", "BF16", "F32", "FP32", "INT4",
    "INT8", "NVFP4", "MXFP4", "W4A16", "W8A8", "W8A16",
  ]

  /// `Q4`, `IQ2`, `TQ1`: what llama.cpp calls its types.
  private static func isGGUF(_ word: String) -> Bool {
    let digits = word.drop { $0 == "I" || $0 == "T" }
    return word.count - digits.count <= 1 && digits.count == 2 && digits.first == "Q"
      && "1"..."8" ~= digits.last ?? "0"
  }

  private static func bits(_ word: String) -> Int? {
    guard word.hasSuffix("BIT") else { return nil }
    return Int(word.dropLast(3)).flatMap { sizes.contains($0) ? $0 : nil }
  }

  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
