import Text

/// Where an export goes: to a new file, which is there once it is whole, or to standard output.
struct ExportTarget {
  private let desk: Desk
  private let file: NewFile?
  private let isJSON: Bool
  /// What was not written yet.
  private var waiting: [UInt8] = []
  private static let portion = 1 << 16

  /// - Parameters:
  ///   - path: nil is standard output.
  ///   - isJSON: whether what a terminal might obey may be escaped.
  init(_ path: String?, isJSON: Bool, _ desk: Desk) throws(ShellError) {
    self.desk = desk
    self.isJSON = isJSON
    do throws(FileProblem) { file = try path.map { (path) throws(FileProblem) in try desk.world.makeFile(path) } } catch
    {
      throw .file(error)
    }
  }

  mutating func put(_ text: String) throws(ShellError) {
    guard file != nil else {
      // Where nobody sees it, it goes out as it is.
      let isSeen = desk.world.terminal.traits.outputIsTerminal
      return try desk.write(long: [.text(isJSON ? .json(text) : isSeen ? Filter.block(text) : Filter.source(text))])
    }
    waiting.append(contentsOf: text.utf8)
    if waiting.count >= Self.portion { try flush() }
  }

  mutating func finish() throws(ShellError) {
    try flush()
    do throws(FileProblem) { try file?.keep() } catch { throw .file(error) }
  }

  /// Takes away what there is of the file.
  func discard() { file?.discard() }

  private mutating func flush() throws(ShellError) {
    do throws(FileProblem) { try file?.write(waiting) } catch { throw .file(error) }
    waiting.removeAll(keepingCapacity: true)
  }
}
