import Foundation
import Glibc

/// Waits on this machine's own address for a browser to come back with an answer (RFC 8252, section 7.3).
package final class LoopbackListener: Sendable {
  package enum Failure: Error, Sendable, Equatable { case cannotListen(reason: String) }

  package enum End: Sendable, Equatable {
    /// The query of the request that was waited for.
    case came(query: String)
    case timedOut, cancelled
    case failed(reason: String)
  }

  package let port: Int
  private let socket: Int32
  /// A pipe: what is written to it ends the wait.
  private let wake: (read: Int32, write: Int32)

  /// Listens at 127.0.0.1. - Parameter wanted: 0 takes a port that is free.
  package init(port wanted: UInt16 = 0) throws(Failure) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_port = wanted.bigEndian
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // Who was here a minute ago may still be in the way.
    var yes: Int32 = 1
    if wanted != 0 { setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        socket >= 0 && bind(socket, $0, length) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    var ends: [Int32] = [-1, -1]
    guard isListening, pipe(&ends) == 0 else {
      let reason = String(cString: strerror(errno))
      if socket >= 0 { close(socket) }
      throw .cannotListen(reason: reason)
    }
    for descriptor in [socket] + ends { keepToOurselves(descriptor) }
    port = Int(UInt16(bigEndian: address.sin_port))
    self.socket = socket
    wake = (ends[0], ends[1])
  }

  deinit {
    for descriptor in [socket, wake.read, wake.write] { close(descriptor) }
  }

  /// Waits until a browser asks for `path` with a query that is expected; whatever else is asked for is refused and the
  /// wait goes on. Cancelling the task ends it.
  package func wait(
    path: String, seconds: Double, isExpected: @escaping @Sendable (_ query: String) -> Bool
  ) async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Its own thread, because it blocks; it ends with the wait.
        Thread.detachNewThread { [self] in
          var visit = LoopbackVisit(socket: socket, wake: wake.read, port: port, path: path, isExpected: isExpected)
          continuation.resume(returning: visit.wait(seconds: seconds))
        }
      }
    } onCancel: {
      var byte: UInt8 = 0
      _ = write(wake.write, &byte, 1)  // a pipe that is full wakes as well
    }
  }
}

/// Neither waited for in a read or write, nor passed on to a child process.
func keepToOurselves(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
}
