/// The rules, one scalar at a time. Bytes that stay are copied in runs; only what changes is written by itself.
extension Filter {
  private var isOneLine: Bool { profile == .inline || profile == .command }
  private var countsCells: Bool { profile == .block || profile == .code }
  private static let mostMarks = 8
  private static let mostIsolates = 64
  private static let tabStop = 8

  /// Filters `bytes` into `out`; true when they may stay as they are and `out` was left empty.
  mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var kept = 0
    var i = 0
    while i < bytes.count {
      let start = i
      if bytes[i] >= 0x80 {
        let scalar = decode(bytes, &i)
        if !keeps(scalar, bytes, kept..<start) { kept = i }
      } else if bytes[i] >= 0x20, bytes[i] < 0x7F {
        i = endOfPrintableASCII(bytes, from: i)
        keepASCII(bytes, start..<i)
      } else {
        i += 1
        if !keepsControl(bytes[start], bytes, kept..<start) { kept = i }
      }
    }
    if kept == 0, out.isEmpty { return true }
    copy(bytes, kept..<bytes.count)
    return false
  }

  private mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>) {
    if !run.isEmpty { out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[run])) }
  }

  private mutating func keepASCII(_ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>) {
    if joiner != 0 { settleJoiner(before: bytes[run.lowerBound] == 0x20 ? .nothing : .visible(isASCII: true)) }
    followsReturn = false
    before = bytes[run.upperBound - 1] == 0x20 ? Neighbour() : .ascii
    if countsCells { line.addASCII(run.count, last: bytes[run.upperBound - 1]) }
  }

  /// Whether a control stays as it is; if not, `run` and what stands for the control were written.
  private mutating func keepsControl(
    _ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>
  ) -> Bool {
    let endsReturn = followsReturn && byte == 0x0A
    followsReturn = false
    if byte == 0x0A, !isOneLine, !endsReturn, joiner == 0, openIsolates == 0 {
      startLine()
      return true
    }
    if byte == 0x09, profile == .source { return true }
    copy(bytes, run)
    switch (byte, profile) {
    case (0x0A, .block), (0x0A, .code), (0x0A, .source): if !endsReturn { writeLineBreak() }
    case (0x0A, .inline): if !endsReturn { writeSpaces(1) }
    case (0x0D, .block), (0x0D, .code), (0x0D, .source):
      writeLineBreak()
      followsReturn = true
    case (0x0D, .inline):
      writeSpaces(1)
      followsReturn = true
    case (0x09, .inline), (0x09, .command): writeSpaces(1)
    case (0x09, _):
      settleJoiner(before: .nothing)
      writeSpaces(Self.tabStop - line.cells % Self.tabStop)
    default: writeVisibly([UInt8(ascii: "^"), byte ^ 0x40])
    }
    return false
  }
}

/// Scalars beyond ASCII.
extension Filter {
  /// Whether a scalar stays as it is; if not, `run` and what stands for the scalar were written.
  @inline(__always)
  private mutating func keeps(
    _ scalar: UInt32, _ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>
  ) -> Bool {
    followsReturn = false
    if Cells.simpleWidth(scalar) > 0 {
      if joiner != 0 { settleJoiner(before: .visible(isASCII: false)) }
      before = .base
      if countsCells { line.add(scalar) }
      return true
    }
    return keepsByKind(scalar, bytes, run)
  }

  private mutating func keepsByKind(
    _ scalar: UInt32, _ bytes: UnsafeBufferPointer<UInt8>, _ run: Range<Int>
  ) -> Bool {
    let kind = ScalarKind(scalar)
    if joiner == 0, stays(kind) {
      note(kind, scalar)
      return true
    }
    copy(bytes, run)
    if stays(kind) {
      settleJoiner(before: kind == .base || kind == .mark ? .visible(isASCII: false) : .nothing)
      note(kind, scalar)
      write(scalar)
    } else {
      replace(kind, scalar)
    }
    return false
  }

  private func stays(_ kind: ScalarKind) -> Bool {
    if profile == .source { return kind != .control && kind != .hidden }
    switch kind {
    case .base, .space: return true
    case .mark: return before.marks < Self.mostMarks
    case .variation:
      let canVary = before.isVisible && before.isBase && !before.hasVariation && joiner == 0
      return canVary && !(profile == .command && before.isASCII)
    case .directionMark: return profile == .block
    case .isolate: return profile == .block && openIsolates < Self.mostIsolates
    case .endOfIsolate: return profile == .block && openIsolates > 0
    case .control, .hidden, .invisible, .lineBreak, .joiner, .privateUse: return false
    }
  }

  /// Remembers what a scalar that stays means for those after it.
  private mutating func note(_ kind: ScalarKind, _ scalar: UInt32) {
    guard profile != .source else { return }
    switch kind {
    case .base: before = .base
    case .space: before = Neighbour()
    case .mark:
      before.marks += 1
      before.isVisible = true
      before.isASCII = false
    case .variation:
      before.hasVariation = true
      before.isASCII = false
    case .isolate:
      openIsolates += 1
      before.isVisible = false
    case .endOfIsolate:
      openIsolates -= 1
      before.isVisible = false
    case .directionMark: before.isVisible = false
    default: break
    }
    if countsCells { line.add(scalar) }
  }

  private mutating func replace(_ kind: ScalarKind, _ scalar: UInt32) {
    switch kind {
    case .control: writeVisibly(Array("<\(String(scalar, radix: 16, uppercase: true))>".utf8))
    case .lineBreak where profile == .inline: writeSpaces(1)
    case .lineBreak where profile != .command: writeLineBreak()
    case .privateUse where profile != .command:
      settleJoiner(before: .visible(isASCII: false))
      note(.base, 0xFFFD)
      write(0xFFFD)
    case .joiner where joiner == 0 && before.isVisible: joiner = scalar
    default:
      if kind == .hidden { hidden += 1 }
      if profile == .command { show(scalar) }
    }
  }
}

/// What is written in the place of others.
extension Filter {
  enum Follower { case nothing, visible(isASCII: Bool) }

  /// A joiner stays between two visible scalars only. In a command it is shown inside ASCII, where no script wants it.
  mutating func settleJoiner(before next: Follower) {
    guard joiner != 0 else { return }
    let scalar = joiner
    joiner = 0
    switch next {
    case .visible(isASCII: true) where profile == .command && before.isASCII: show(scalar)
    case .visible:
      write(scalar)
      if countsCells { line.add(scalar) }
    case .nothing: if profile == .command { show(scalar) }
    }
  }

  /// An isolate that is left open would turn the text of the next paragraph around (UAX 9, BD13).
  mutating func closeIsolates() {
    for _ in 0..<openIsolates { write(0x2069) }
    openIsolates = 0
  }

  private mutating func show(_ scalar: UInt32) {
    let digits = String(scalar, radix: 16, uppercase: true)
    let padding = String(repeating: "0", count: max(0, 4 - digits.count))
    writeVisibly(Array("<U+\(padding)\(digits)>".utf8))
  }

  private mutating func writeVisibly(_ ascii: [UInt8]) {
    settleJoiner(before: .visible(isASCII: true))
    out.append(contentsOf: ascii)
    before = .ascii
    if countsCells { line.addASCII(ascii.count, last: ascii[ascii.count - 1]) }
  }

  private mutating func writeSpaces(_ count: Int) {
    settleJoiner(before: .nothing)
    out.append(contentsOf: repeatElement(0x20, count: count))
    before = Neighbour()
    if countsCells { line.addASCII(count, last: 0x20) }
  }

  private mutating func writeLineBreak() {
    settleJoiner(before: .nothing)
    closeIsolates()
    out.append(0x0A)
    startLine()
  }

  private mutating func startLine() {
    before = Neighbour()
    line = CellCounter()
  }

  private mutating func write(_ scalar: UInt32) {
    if let scalar = Unicode.Scalar(scalar) { out.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
  }
}
