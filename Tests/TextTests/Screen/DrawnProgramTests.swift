import Foundation
import Testing

@testable import Text

/// What a program wrote to a terminal of a known size, and the lines that a real terminal shows of it.
struct DrawnProgram: Sendable {
  let name: String
  let drawing: RealScreen.Drawing
  let expected: String

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Drawings")

  static func all() throws -> [DrawnProgram] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "bytes" }.map(DrawnProgram.init).sorted { $0.name < $1.name }
  }

  /// - Parameter file: its name ends in the size, as `top.80x24.bytes`.
  private init(_ file: URL) throws {
    let path = file.deletingPathExtension()
    let size = path.pathExtension.split(separator: "x").compactMap { Int($0) }
    name = path.lastPathComponent
    drawing = RealScreen.Drawing(bytes: Array(try Data(contentsOf: file)), columns: size[0], rows: size[1])
    let lines = try? Data(contentsOf: path.appendingPathExtension("lines"))  // none before it was recorded
    expected = lines.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Those of the screen, which takes the bytes in pieces of a size.
  func lines(inPieces size: Int = .max) -> [String] {
    var screen = DrawnScreen(columns: drawing.columns, rows: drawing.rows)
    var rest = drawing.bytes[...]
    while !rest.isEmpty {
      screen.feed(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return screen.lines
  }
}

@Suite struct DrawnProgramTests {
  /// With PARLEY_RECORD what is expected is written anew; read it in `git diff` before you believe it.
  @Test func `what programs drew can be read`() throws {
    for program in try DrawnProgram.all() {
      let text = program.lines().map { $0 + "\n" }.joined()
      if ProcessInfo.processInfo.environment["PARLEY_RECORD"] != nil, text != program.expected {
        try Data(text.utf8).write(to: DrawnProgram.folder.appending(path: "\(program.name).lines"))
      } else {
        #expect(text == program.expected, "\(program.name)")
      }
    }
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func `it does not matter where the bytes are cut`(size: Int) throws {
    for program in try DrawnProgram.all() {
      #expect(program.lines(inPieces: size) == program.lines(), "\(program.name)")
    }
  }
}
