import Foundation
import Waiting

/// How a server of tools wants to be spoken with, found out by trying (docs/mcp.md 2).
package struct MCPVerdict: Sendable, Equatable {
  package enum Era: String, Sendable {
    /// 2026-07-28 and later: no handshake, each request stands alone.
    case modern
    /// `initialize`, and perhaps a session.
    case legacy
  }

  package enum Transport: String, Sendable {
    case streamable
    /// The one of 2024-11-05: answers come on a stream of their own.
    case sse
    case stdio
  }

  package var era: Era
  package var transport: Transport
  /// Where it answers, which may be below the address that is known; empty for a program.
  package var url: String

  package init(era: Era, transport: Transport, url: String) {
    self.era = era
    self.transport = transport
    self.url = url
  }

  /// One line, for whoever keeps it.
  package var text: String { "\(era.rawValue) \(transport.rawValue) \(url)" }

  /// nil for a line that another version may have written.
  package init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let era = Era(rawValue: parts[0]), let transport = Transport(rawValue: parts[1]) else {
      return nil
    }
    self.init(era: era, transport: transport, url: parts[2])
  }
}

/// Where verdicts are kept between connections, by the address of the server.
package struct WireMemory: Sendable {
  package var recall: @Sendable (_ address: String) -> MCPVerdict?
  /// nil forgets it.
  package var keep: @Sendable (_ address: String, MCPVerdict?) -> Void

  package init(
    recall: @escaping @Sendable (_ address: String) -> MCPVerdict?,
    keep: @escaping @Sendable (_ address: String, MCPVerdict?) -> Void
  ) {
    self.recall = recall
    self.keep = keep
  }

  /// One that lasts as long as what holds it.
  package static func inMemory() -> WireMemory {
    let verdicts = Locked<[String: MCPVerdict]>([:])
    return WireMemory(
      recall: { address in verdicts.withLock { $0[address] } },
      keep: { address, verdict in verdicts.withLock { $0[address] = verdict } })
  }
}
