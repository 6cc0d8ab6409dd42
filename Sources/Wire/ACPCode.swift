/// Codes of errors that the Agent Client Protocol gives a meaning of its own (docs/acp.md 9).
package enum ACPCode {
  package static let authRequired = -32000
  package static let notFound = -32002
  package static let cancelled = -32800
}
