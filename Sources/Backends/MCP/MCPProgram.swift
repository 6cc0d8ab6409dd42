import Chat
package import Transport
import Wire

/// Where programs that serve tools are started, and the environment that they get some of.
package struct ToolPrograms: Sendable {
  let children: Children
  let environment: [String: String]
  /// Where they start; nil is where we are.
  let folder: String?

  package init(children: Children, environment: [String: String], folder: String? = nil) {
    self.children = children
    self.environment = environment
    self.folder = folder
  }
}

/// Starts a program and begins to speak with it over its input and output (docs/mcp.md 2 and 6).
struct MCPProgram: Sendable {
  let command: [String]
  let passing: [String]
  let programs: ToolPrograms
  let board: CallBoard
  let clock: TimeSource
  let patience: Double

  func open(_ known: MCPVerdict?) async throws(MCPFault) -> (line: any MCPLine, verdict: MCPVerdict) {
    let channel: StdioChannel
    do throws(ToolError) {
      channel = try await StdioChannel(
        command: command, passing: passing, environment: programs.environment, children: programs.children,
        in: programs.folder)
    } catch { throw .failed(error) }
    let duplex = Duplex(channel, board: board)
    let beginning = DuplexLine.Beginning(
      transport: .stdio, board: board, clock: clock, patience: patience, reason: { await channel.exit() })
    do throws(MCPFault) {
      let line = try await begin(duplex, beginning, known)
      return (line, MCPVerdict(era: line.era, transport: .stdio, url: ""))
    } catch {
      await duplex.close()
      // Nothing had been begun that could begin anew.
      if case .sessionGone(let reason) = error { throw .failed(reason) }
      throw error
    }
  }

  private func begin(
    _ duplex: Duplex, _ beginning: DuplexLine.Beginning, _ known: MCPVerdict?
  ) async throws(MCPFault) -> DuplexLine {
    if known?.era != .legacy, let line = try await DuplexLine.discover(duplex, beginning) { return line }
    do throws(MCPFault) {
      return try await DuplexLine.initialize(duplex, beginning)
    } catch {
      // It was only slow to start, and has been asked in the modern way (docs/mcp.md 2).
      guard case .refused(let failure) = error, failure.code == MCPCode.versionUnsupported,
        let line = try await DuplexLine.discover(duplex, beginning)
      else { throw error }
      return line
    }
  }
}
