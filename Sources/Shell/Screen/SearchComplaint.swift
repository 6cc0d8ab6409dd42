import Chat
import Store
import Text

extension Complaint {
  /// Why a search cannot be limited so, with a mark below what is wrong.
  init(_ slip: SearchSlip) {
    let name = Filter.inline(slip.name)
    let value = Filter.inline(String(slip.word.dropFirst(slip.name.count)))
    let says: SafeText
    let hint: SafeText
    switch slip.takes {
    case .role:
      says = "'\(value)' is no role"
      hint = SearchWords.roles.map { "role:\($0.rawValue)" }.joined(separator: ", ")
    case .status:
      says = "'\(value)' is no status of an answer"
      hint = AnswerStatus.allCases.map { "status:\($0.rawValue)" }.joined(separator: ", ")
    case .moment:
      says = "'\(value)' is no time"
      hint = "\(name)30d, with m, h, d or w for minutes to weeks, or a day such as \(name)2026-11-27"
    }
    let marks = String(repeating: " ", count: 2 + name.cells) + String(repeating: "^", count: max(1, value.cells))
    self.init("\(says)\n  \(name)\(value)\n\(marks)", hint: hint, .usage)
  }
}
