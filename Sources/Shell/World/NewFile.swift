/// A file that is being made, some of it at a time. It has its name once it is whole.
package struct NewFile: Sendable {
  /// Adds bytes at the end.
  package var write: @Sendable ([UInt8]) throws(FileProblem) -> Void
  /// Gives it its name; one that has come there meanwhile stays.
  package var keep: @Sendable () throws(FileProblem) -> Void
  /// Takes away what there is of it.
  package var discard: @Sendable () -> Void

  package init(
    write: @escaping @Sendable ([UInt8]) throws(FileProblem) -> Void,
    keep: @escaping @Sendable () throws(FileProblem) -> Void, discard: @escaping @Sendable () -> Void
  ) {
    self.write = write
    self.keep = keep
    self.discard = discard
  }
}
