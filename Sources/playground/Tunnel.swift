import CPlayground
import Glibc

/// Carries the bytes of one connection in both directions as they come.
struct Tunnel {
  /// What became of a try to read or write.
  private enum Moved {
    case bytes(Int)
    /// The socket must first be ready for these events of poll.
    case wait(Int16)
    case ended
  }

  private let client: Int32
  /// nil where the client speaks plain HTTP.
  private let session: OpaquePointer?
  private let server: Int32
  private var upward = Hold()
  private var downward = Hold()
  private var hasServerEnded = false

  init(client: Int32, session: OpaquePointer?, server: Int32) {
    self.client = client
    self.session = session
    self.server = server
    for descriptor in [client, server] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
    var yes: Int32 = 1
    setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    if let session {
      SSL_set_fd(session, client)
      SSL_set_accept_state(session)
    }
  }

  /// Returns when either side has ended: nobody asks for the rest of an answer that has lost its reader.
  mutating func run() {
    while let waiting = step() {
      var sockets = [
        pollfd(fd: client, events: waiting.client, revents: 0),
        // A side that is not waited for would report again and again that it was hung up.
        pollfd(fd: waiting.server == 0 ? -1 : server, events: waiting.server, revents: 0),
      ]
      if poll(&sockets, 2, -1) < 0, errno != EINTR { return }
      if sockets[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return }
    }
  }

  /// Moves what can be moved; then the events that each side waits for, or nil at the end.
  private mutating func step() -> (client: Int16, server: Int16)? {
    while true {
      var waiting: (client: Int16, server: Int16) = (0, 0)
      var hasMoved = false
      if upward.isEmpty {
        switch upward.fill(readClient) {
        case .bytes: hasMoved = true
        case .wait(let events): waiting.client |= events
        case .ended: return nil
        }
      }
      if !upward.isEmpty {
        switch upward.drain(writeServer) {
        case .bytes: hasMoved = true
        case .wait(let events): waiting.server |= events
        case .ended: return nil
        }
      }
      if downward.isEmpty, !hasServerEnded {
        switch downward.fill(readServer) {
        case .bytes: hasMoved = true
        case .wait(let events): waiting.server |= events
        case .ended: hasServerEnded = true
        }
      }
      if !downward.isEmpty {
        switch downward.drain(writeClient) {
        case .bytes: hasMoved = true
        case .wait(let events): waiting.client |= events
        case .ended: return nil
        }
      }
      if hasServerEnded, downward.isEmpty {
        if let session { SSL_shutdown(session) }
        return nil
      }
      if !hasMoved { return waiting }
    }
  }

  private func readClient(_ bytes: UnsafeMutableRawBufferPointer) -> Moved {
    guard let session else { return plain(recv(client, bytes.baseAddress, bytes.count, 0), Int16(POLLIN)) }
    ERR_clear_error()
    return secure(SSL_read(session, bytes.baseAddress, Int32(bytes.count)), session)
  }

  private func writeClient(_ bytes: UnsafeRawBufferPointer) -> Moved {
    guard let session else {
      return plain(send(client, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), Int16(POLLOUT))
    }
    ERR_clear_error()
    return secure(SSL_write(session, bytes.baseAddress, Int32(bytes.count)), session)
  }

  private func readServer(_ bytes: UnsafeMutableRawBufferPointer) -> Moved {
    plain(recv(server, bytes.baseAddress, bytes.count, 0), Int16(POLLIN))
  }

  private func writeServer(_ bytes: UnsafeRawBufferPointer) -> Moved {
    plain(send(server, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), Int16(POLLOUT))
  }

  private func plain(_ count: Int, _ events: Int16) -> Moved {
    if count > 0 { return .bytes(count) }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wait(events) : .ended
  }

  private func secure(_ count: Int32, _ session: OpaquePointer) -> Moved {
    if count > 0 { return .bytes(Int(count)) }
    switch SSL_get_error(session, count) {
    case SSL_ERROR_WANT_READ: return .wait(Int16(POLLIN))
    case SSL_ERROR_WANT_WRITE: return .wait(Int16(POLLOUT))
    default: return .ended
    }
  }

  /// Bytes on their way in one direction.
  private struct Hold {
    private var bytes = [UInt8](repeating: 0, count: 16 << 10)
    private var range = 0..<0

    var isEmpty: Bool { range.isEmpty }

    mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Moved) -> Moved {
      let moved = bytes.withUnsafeMutableBytes(read)
      if case .bytes(let count) = moved { range = 0..<count }
      return moved
    }

    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Moved) -> Moved {
      let moved = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[range])) }
      if case .bytes(let count) = moved { range = (range.lowerBound + count)..<range.upperBound }
      return moved
    }
  }
}
