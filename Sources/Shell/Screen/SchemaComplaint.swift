import Text
import Wire

extension Complaint {
  /// A file of `--schema` that is none.
  init(ofSchema problem: ShellError.SchemaProblem, in path: String) {
    let what: SafeText =
      switch problem {
      case .notJSON(let failure): Complaint.reason(failure)
      case .flaw(let flaw): "\(Complaint.place(flaw.place)): \(Complaint.problem(flaw.problem))"
      }
    if case .flaw(let flaw) = problem, case .unsupported = flaw.problem {
      self.init("the schema \(path) asks for more than can be checked (\(what))", hint: "/help schema", .usage)
    } else {
      self.init("\(path) is no JSON Schema (\(what))", hint: "/help schema shows one", .usage)
    }
  }

  private static func problem(_ problem: JSONSchema.Flaw.Problem) -> SafeText {
    switch problem {
    case .badValue(""): "a schema is an object, true or false"
    case .badValue(let keyword): "this is no value for '\(keyword)'"
    case .unsupported(let keyword): "'\(keyword)'"
    case .lost(let reference): "nothing is at '\(reference)' in this file"
    case .badPattern(let pattern): "'\(pattern)' is no pattern"
    }
  }

  /// An answer that was to fit a schema and does not.
  init(_ misfit: AnswerMisfit) {
    let text: SafeText =
      switch misfit {
      case .notJSON(let failure): "the answer does not fit the schema (\(Complaint.reason(failure)))"
      case .schema(let misfit):
        "the answer does not fit the schema (\(Complaint.place(misfit.place)): \(Complaint.reason(misfit.reason)))"
      case .unchecked(let why): "the answer could not be held against the schema (\(Complaint.reason(why)))"
      }
    self.init(text, .refused)
  }

  private static func reason(_ failure: JSON.Failure) -> SafeText {
    switch (failure.reason, failure.offset) {
    case (.endOfInput, 0): "it is empty"
    case (.tooDeep, _): "it is nested deeper than \(JSONReader.depthLimit) levels"
    default: "it is no JSON from byte \(failure.offset) on"
    }
  }

  private static func reason(_ unchecked: JSONSchema.Unchecked) -> SafeText {
    switch unchecked {
    case .tooDeep(let pointer): "\(place(pointer)): it goes too deep"
    case .tooMuch(let pointer): "\(place(pointer)): there is more to check than one answer is worth"
    case .slowPattern(let pattern, let pointer): "\(place(pointer)): the pattern \(pattern) takes too long"
    case .stopped: "interrupted"
    }
  }

  private static func place(_ pointer: String) -> SafeText { pointer.isEmpty ? "as a whole" : "at \(pointer)" }

  private static func reason(_ reason: JSONSchema.Misfit.Reason) -> SafeText {
    switch reason {
    case .type(let found, let wanted): "it is of type \(found), not \(either(wanted))"
    case .missing(let key): "'\(key)' is missing"
    case .unexpected(let key): "'\(key)' is not allowed"
    case .value: "its value is not one that is allowed"
    case .limit(let keyword, let value): "it breaks \(keyword) \(value)"
    case .combination(let keyword): "it breaks \(keyword)"
    }
  }
}
