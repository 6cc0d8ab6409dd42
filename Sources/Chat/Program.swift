/// What this program says it is, to people and to servers.
package enum Program {
  package static let name = "parley"
  package static let version = "0.1.0"
}
