import CPlayground
import Foundation

/// The port that clients see: it ends TLS where there is a certificate, and hands bytes on to the server behind it, as
/// an ingress does. Each connection has a thread of its own, which holds no more than one buffer for each direction.
///
/// The lock guards the context and the list of connections.
final class Front: @unchecked Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let port: Int
  private let listener: Int32
  private let lock = NSLock()
  private var context: OpaquePointer?
  private var open: Set<Int32> = []

  /// Listens on that port of 127.0.0.1 (0: any).
  init(port: Int, certificate: ServingCertificate?) throws {
    context = try certificate?.makeContext()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isBound = Loopback.withAddress(port: port) { bind(listener, $0, $1) } == 0
    guard isBound, listen(listener, 128) == 0 else {
      let reason = String(cString: strerror(errno))
      close(listener)
      throw Failure(description: "cannot listen on 127.0.0.1:\(port) (\(reason))")
    }
    self.port = Loopback.port(of: listener)
  }

  /// Takes connections for what runs at `target`, on a thread of its own, as long as the process lives.
  func start(for target: sockaddr_un) {
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 {
          // Out of descriptors: a connection that ends makes room.
          if errno == EMFILE || errno == ENFILE { usleep(50_000) }
          continue
        }
        Thread.detachNewThread { self.serve(client, from: target) }
      }
    }
  }

  /// New connections see this certificate.
  func use(_ certificate: ServingCertificate) throws(ServingCertificate.Failure) {
    let fresh = try certificate.makeContext()
    lock.withLock {
      SSL_CTX_free(context)
      context = fresh
    }
  }

  /// Cuts all connections, and says how many there were.
  func drop() -> Int {
    lock.withLock {
      for client in open { shutdown(client, Int32(SHUT_RDWR)) }
      return open.count
    }
  }

  private func serve(_ client: Int32, from target: sockaddr_un) {
    let session = lock.withLock { () -> OpaquePointer? in
      open.insert(client)
      return context.flatMap(SSL_new)
    }
    let server = Self.connect(to: target)
    if server >= 0 {
      var tunnel = Tunnel(client: client, session: session, server: server)
      tunnel.run()
      close(server)
    }
    SSL_free(session)
    lock.withLock {
      open.remove(client)
      close(client)
    }
  }

  /// A connected socket, or a negative number.
  private static func connect(to address: sockaddr_un) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return descriptor }
    let code = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if code == 0 { return descriptor }
    close(descriptor)
    return -1
  }
}

/// Sockets on 127.0.0.1.
private enum Loopback {
  static func withAddress<Result>(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  static func port(of descriptor: Int32) -> Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return Int(in_port_t(bigEndian: address.sin_port))
  }
}
