import Wire

/// Codes of errors that the protocol gives a meaning (docs/acp.md 9).
enum ErrorCode {
  static let authRequired = -32000
  static let notFound = -32002
  static let invalidParams = -32602
  static let cancelled = -32800
}

extension RPCFailure {
  static func invalid(_ reason: String) -> RPCFailure {
    RPCFailure(code: ErrorCode.invalidParams, message: reason)
  }
}
