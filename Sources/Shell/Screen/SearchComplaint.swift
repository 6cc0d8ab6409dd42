import Chat
import Store
import Text

extension Complaint {
  /// Why a search cannot be limited so, with a mark below what is wrong.
  init(_ slip: SearchSlip) {
    let name = Filter.inline(slip.name)
    let value = Filter.inline(String(slip.word.dropFirst(slip.name.count)))
    var marked = (start: name.cells, count: value.cells)
    let says: SafeText
    let hint: SafeText
    switch slip.takes {
    case .role:
      says = "'\(value)' is no role"
      hint = SearchWords.roles.map { "role:\($0.rawValue)" }.joined(separator: ", ")
    case .status:
      says = "'\(value)' is no status of an answer"
      hint = AnswerStatus.allCases.map { "status:\($0.rawValue)" }.joined(separator: ", ")
    case .noExclusion:
      says = "a dash leaves words out, and no limits"
      hint = "\(Filter.inline(String(slip.word.dropFirst()))) limits the search to these"
      marked = (0, 1)
    case .moment:
      says = "'\(value)' is no time"
      hint = "\(name)30d, with m, h, d, w, mo or y for minutes to years, or a day such as \(name)2026-11-27"
    }
    let marks = String(repeating: " ", count: 2 + marked.start) + String(repeating: "^", count: max(1, marked.count))
    self.init("\(says)\n  \(name)\(value)\n\(marks)", hint: hint, .usage)
  }
}
