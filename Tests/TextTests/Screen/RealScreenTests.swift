import Foundation
import TestSupport
import Testing

@testable import Text

/// The same bytes to tmux and to us.
@Suite(.enabled(if: RealScreen.isAvailable, "tmux is not on the path"), .ownThread, .serialized)
struct RealScreenTests {
  static let rounds = ProcessInfo.processInfo.environment["PARLEY_ROUNDS"].flatMap(Int.init) ?? 1
  static let inOneRound = 40

  @Test func `what programs drew stands there as on a real terminal`() async throws {
    let programs = try DrawnProgram.all()
    let real = try await RealScreen.show(programs.map(\.drawing), .lines)
    for (program, lines) in zip(programs, real) { #expect(program.lines() == lines, "\(program.name)") }
  }

  @Test(arguments: 0..<rounds, [RealScreen.Look.lines, .rows])
  func `whatever is drawn stands there as on a real terminal`(round: Int, look: RealScreen.Look) async throws {
    let drawings = (0..<Self.inOneRound).map { RandomDrawing(seed: UInt64(round * Self.inOneRound + $0), look) }
    let real = try await RealScreen.show(drawings.map(\.drawing), look)
    for (number, (drawing, lines)) in zip(drawings, real).enumerated() {
      let ours = look == .lines ? drawing.screen.lines : drawing.screen.shownRows
      let bytes = String(decoding: drawing.bytes, as: UTF8.self).debugDescription
      #expect(
        ours == lines, "drawing \(round * Self.inOneRound + number), \(drawing.drawing.columns) columns: \(bytes)")
    }
  }
}
