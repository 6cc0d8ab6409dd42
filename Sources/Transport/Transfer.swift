import Addresses
import CCurl
import Chat

/// The loop thread's side of an exchange: the easy handle, and what came since the last `publish`.
final class Transfer {
  let exchange: Exchange
  private let easy: EasyHandle
  /// For https.
  private let gate: TrustGate?
  private let proxy: String?
  private var parser = HeadParser()
  /// Not yet handed over: one hand-over for each turn of the loop costs less than one for each chunk.
  private var pending: [UInt8] = []
  /// After the last `publish`; the reader may have read since.
  private var unreadCount = 0
  private var bodyCount = 0
  private var mayPause = true
  /// Why a callback of ours ended the transfer.
  private var ownFailure: TransportError?
  private var hasNewConnection = false
  /// Told until all has left.
  private var watch: TransferWatch?

  var handle: UnsafeMutableRawPointer { easy.raw }

  init(_ exchange: Exchange, settings: CurlLoop.Settings, leaves: TrustedLeaves) throws(TransportError) {
    self.exchange = exchange
    proxy = settings.proxy.proxy(for: exchange.request.url)
    let server = try ServerKey(httpsURL: exchange.request.url)
    gate = if let server { try TrustGate(server, trust: settings.trust, leaves: leaves) } else { nil }
    easy = try EasyHandle()
    try easy.configure(for: exchange.request, settings, gate: gate)
    if exchange.isLook { try easy.connectOnly() }
    let context = Unmanaged.passUnretained(self).toOpaque()
    try easy.set(CURLOPT_HEADERDATA, context)
    try easy.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Transfer.at(context).receiveHeader(Transfer.buffer(bytes, size * count))
    }
    try easy.set(CURLOPT_WRITEDATA, context)
    try easy.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Transfer.at(context).receiveBody(Transfer.buffer(bytes, size * count))
    }
    watch = exchange.request.watch
    guard let watch else { return }
    watch.note(.connecting)
    try easy.setProgress({ context, _, _, _, sent in Transfer.at(context).noteSent(Int(sent)) }, context)
  }

  /// - Returns: 0 for libcurl to go on.
  private func noteSent(_ sent: Int) -> Int32 {
    guard let watch, ccurl_is_connected(easy.raw) != 0 else { return 0 }
    let total = exchange.request.body?.count ?? 0
    watch.note(sent < total ? .sending(sent, of: total) : .sent)
    if sent >= total {
      self.watch = nil
      // What comes is told of otherwise.
      try? easy.set(CURLOPT_NOPROGRESS, 1)
    }
    return 0
  }

  func resume() {
    curl_easy_pause(easy.raw, CURLPAUSE_CONT)
  }

  func publish() {
    if !pending.isEmpty { unreadCount = exchange.receive(&pending) }
  }

  /// Whether the transfer, of which nothing was sent, is to begin again.
  func takesNewConnection(after code: CURLcode) throws(TransportError) -> Bool {
    guard let gate, gate.hasHeldBack, code == CURLE_ABORTED_BY_CALLBACK, !hasNewConnection else { return false }
    hasNewConnection = true
    try easy.set(CURLOPT_FRESH_CONNECT, 1)
    try easy.set(CURLOPT_FORBID_REUSE, 0)
    return true
  }

  func finish(_ code: CURLcode) {
    publish()
    if exchange.isLook {
      exchange.receive(gate?.sight)
      if code == CURLE_OK { exchange.receive(ResponseHead(status: 0, headers: [])) }
    }
    exchange.finish(outcome(code))
  }

  private func outcome(_ code: CURLcode) -> Result<Void, TransportError> {
    if let ownFailure { return .failure(ownFailure) }
    if let failure = gate?.failure(code) { return .failure(failure) }
    if exchange.isLook, code == CURLE_OK { return .success(()) }
    if code != CURLE_OK {
      return .failure(easy.failure(code, url: exchange.request.url, proxy: proxy, headIsIn: parser.isDone))
    }
    return parser.isDone ? .success(()) : .failure(.closedEarly("no status came"))
  }

  private func receiveHeader(_ line: UnsafeBufferPointer<UInt8>) -> Int {
    do throws(TransportError) {
      if let head = try parser.absorb(line) {
        // libcurl keeps what it unpacks while paused, up to its own limit: better to let it come, up to ours.
        mayPause = !head.isCompressed
        exchange.receive(head)
      }
      return line.count
    } catch {
      ownFailure = error
      return 0
    }
  }

  private func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    if mayPause, unreadCount + pending.count >= Exchange.pauseLimit, exchange.pauses(with: pending.count) {
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    bodyCount += bytes.count
    guard bodyCount <= exchange.request.bodyLimit else {
      ownFailure = .tooLarge(limit: exchange.request.bodyLimit)
      return 0
    }
    pending.append(contentsOf: bytes)
    return bytes.count
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer {
    guard let context else { preconditionFailure("libcurl lost the context") }
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  }

  private static func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }, count: count)
  }
}
