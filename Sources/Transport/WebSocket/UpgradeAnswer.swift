/// Reads what a server says to an upgrade: its head, and after a refusal the beginning of its body.
struct UpgradeAnswer {
  /// In bytes, with interim responses.
  static let headLimit = 64 << 10

  private let upgrade: Upgrade
  private var parser = HeadParser(takesSwitch: true)
  private var headCount = 0
  /// The line that has not ended yet.
  private var line: [UInt8] = []
  private var refusal: (status: Int, body: RefusalBody)?

  init(to upgrade: Upgrade) { self.upgrade = upgrade }

  /// Takes what came. Once the server has switched it gives the bytes after the head, the first of the WebSocket.
  mutating func absorb(_ bytes: ArraySlice<UInt8>) throws(TransportError) -> ArraySlice<UInt8>? {
    var rest = bytes
    while refusal == nil, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      line += rest[...end]
      rest = rest[(end + 1)...]
      if let head = try absorbLine() {
        if head.status == 101 { return try check(head, rest) }
        refusal = (head.status, RefusalBody(of: head))
      }
    }
    guard refusal != nil else {
      line += rest
      try checkBeginning()
      return nil
    }
    refusal?.body.absorb(rest)
    if let refusal, refusal.body.isComplete { throw error(of: refusal) }
    return nil
  }

  /// What it means that no more comes: a refusal, if one has begun.
  func failure(_ error: TransportError) -> TransportError { refusal.map(self.error) ?? error }

  private mutating func absorbLine() throws(TransportError) -> ResponseHead? {
    try checkBeginning()
    let whole = line
    headCount += whole.count
    line = []
    return try whole.withUnsafeBufferPointer { bytes throws(TransportError) in try parser.absorb(bytes) }
  }

  private func checkBeginning() throws(TransportError) {
    guard headCount + line.count <= Self.headLimit else { throw .tooLarge(limit: Self.headLimit) }
    let beginning = "HTTP/1.".utf8
    guard headCount > 0 || beginning.starts(with: line.prefix(beginning.count)) else { throw .notHTTP }
  }

  private func check(_ head: ResponseHead, _ rest: ArraySlice<UInt8>) throws(TransportError) -> ArraySlice<UInt8> {
    if let objection = upgrade.objection(to: head) { throw .notSwitched(status: head.status, text: objection) }
    return rest
  }

  private func error(of refusal: (status: Int, body: RefusalBody)) -> TransportError {
    .notSwitched(status: refusal.status, text: refusal.body.text)
  }
}
