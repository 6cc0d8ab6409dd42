/// A file that a message names, for a server that takes files.
package struct AttachedFile: Sendable, Equatable {
  /// Absolute, on this machine.
  package var path: String
  /// As the message names it.
  package var name: String
  package var bytes: [UInt8]

  package init(path: String, name: String, bytes: [UInt8]) {
    self.path = path
    self.name = name
    self.bytes = bytes
  }
}
