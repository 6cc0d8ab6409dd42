import Text

extension Complaint {
  /// How an answer is not as a script wants it, with how it begins: who reads a script's errors may have no other way to it.
  init(_ misfit: ShellError.Misfit, _ wanted: String, _ turn: Int, _ said: String) {
    let begins: SafeText = said.isEmpty ? "" : ": \"\(Filter.inline(said, width: 60))\""
    switch misfit {
    case .with: self.init("the answer of #\(turn) has '\(wanted)'\(begins)", .failure)
    case .without: self.init("the answer of #\(turn) has no '\(wanted)'\(begins)", .failure)
    case .status(let status): self.init("the answer of #\(turn) is \(status), not \(wanted)", .failure)
    case .notStatus: self.init("the answer of #\(turn) is \(wanted)", .failure)
    }
  }
}
