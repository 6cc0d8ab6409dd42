import Store
import Text

extension Complaint {
  /// Why sessions of a file are not taken in.
  /// - Parameter added: how many were.
  init(_ problem: ImportProblem, of path: String, _ added: Int) {
    let before: SafeText = added == 1 ? "the session before that is" : "the \(added) sessions before that are"
    let hint: SafeText = added > 0 ? before + " taken in" : "/help import says what is read"
    switch problem {
    case .unknown: self.init("\(path) is no export that is known here", hint: hint, .usage)
    case .archive(let form):
      self.init(
        "\(path) is a \(form) archive, which is not read",
        hint: "unpack it first, then /import each conversations*.json in it", .usage)
    case .newer(let version):
      self.init("a later version of parley wrote \(path) (format \(version))", hint: hint, .usage)
    case .broken(let line): self.init("\(path) is damaged in line \(line)", hint: hint, .usage)
    case .damaged: self.init("\(path) is a database that cannot be read", hint: hint, .usage)
    case .noTurn(let line, let before):
      self.init("turn \(before + 1) of the session in line \(line) of \(path) cannot be read", hint: hint, .usage)
    case .noSession(let line): self.init("what line \(line) of \(path) holds is no session", hint: hint, .usage)
    }
  }
}
