import Glibc

/// One wait of a `LoopbackListener`: several connections at once, because a browser opens some that it never uses.
struct LoopbackVisit {
  private static let clientLimit = 16
  private static let requestLimit = 16 << 10

  private let socket: Int32
  private let wake: Int32
  private let hosts: Set<String>
  private let path: String
  private let isExpected: (String) -> Bool
  private var clients: [Client] = []

  private struct Client {
    let descriptor: Int32
    var bytes: [UInt8] = []
  }

  init(socket: Int32, wake: Int32, port: Int, path: String, isExpected: @escaping (String) -> Bool) {
    self.socket = socket
    self.wake = wake
    self.path = path
    self.isExpected = isExpected
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  mutating func wait(seconds: Double) -> LoopbackListener.End {
    defer { for client in clients { close(client.descriptor) } }
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return .timedOut }
      var watched = ([wake, socket] + clients.map(\.descriptor)).map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      if poll(&watched, nfds_t(watched.count), Int32(min(left, 1e9).rounded(.up))) < 0, errno != EINTR {
        return .failed(reason: String(cString: strerror(errno)))
      }
      if watched[0].revents != 0 { return .cancelled }
      let ready = watched.dropFirst(2).filter { $0.revents != 0 }.map(\.fd)
      for descriptor in ready {
        if let query = read(descriptor) { return .came(query: query) }
      }
      if watched[1].revents != 0 { accept() }
    }
  }

  private mutating func accept() {
    let descriptor = Glibc.accept(socket, nil, nil)
    guard descriptor >= 0 else { return }
    keepToOurselves(descriptor)
    // The oldest has had its time.
    if clients.count == LoopbackVisit.clientLimit { close(clients.removeFirst().descriptor) }
    clients.append(Client(descriptor: descriptor))
  }

  /// Takes what came; the query when it was the request that is waited for.
  private mutating func read(_ descriptor: Int32) -> String? {
    guard let index = clients.firstIndex(where: { $0.descriptor == descriptor }) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    if count > 0 { clients[index].bytes += buffer[..<count] }
    let bytes = clients[index].bytes
    let isWhole = bytes.contains("\r\n\r\n".utf8)
    guard count <= 0 || isWhole || bytes.count > LoopbackVisit.requestLimit else { return nil }
    clients.remove(at: index)
    defer { close(descriptor) }
    guard isWhole else { return nil }
    let query = query(of: String(decoding: bytes, as: UTF8.self))
    answer(descriptor, isWelcome: query != nil)
    return query
  }

  /// nil for a request that is not the one that is waited for.
  private func query(of request: String) -> String? {
    let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines[0].split(separator: " ")
    guard words.count == 3, words[0] == "GET" else { return nil }
    // A page elsewhere that gave its own name our address is not who is waited for.
    let host = lines.dropFirst().first { $0.lowercased().hasPrefix("host:") }?.dropFirst(5)
    guard let host, hosts.contains(host.filter { $0 != " " && $0 != "\t" }.lowercased()) else { return nil }
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == path, parts.count == 2, isExpected(String(parts[1])) else { return nil }
    return String(parts[1])
  }

  private func answer(_ descriptor: Int32, isWelcome: Bool) {
    let words = isWelcome ? "You can close this page and go back to the terminal." : "Not found."
    let page = "<!doctype html><meta charset=\"utf-8\"><title>parley</title><p>\(words)</p>\n"
    let response = Array(
      """
      HTTP/1.1 \(isWelcome ? "200 OK" : "404 Not Found")\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(page.utf8.count)\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      Content-Security-Policy: default-src 'none'\r
      Connection: close\r
      \r
      \(page)
      """.utf8)
    // Short enough for the socket's buffer; a browser that is gone by now has missed nothing.
    _ = send(descriptor, response, response.count, Int32(MSG_NOSIGNAL))
  }
}
