import CWslay

/// The frames of a WebSocket's client side (RFC 6455, section 5): bytes that came become messages, messages become bytes.
/// It reads and writes nothing itself. Belongs to one thread.
final class Frames {
  /// Bytes after which no more frames are made of what is to be sent until those have gone.
  static let outgoingLimit = 64 << 10
  /// Answers to pings that wait to be sent, over which no more pings are read.
  private static let answerLimit = 16

  private let messageLimit: Int
  private let form: SocketForm
  private var context: wslay_event_context_ptr?
  /// What came and was not read as frames yet.
  private var incoming: ArraySlice<UInt8> = []
  private var outgoing: [UInt8] = []
  private var numbers = SystemRandomNumberGenerator()

  private var messages: [[UInt8]] = []
  /// The message that is not whole yet, put together here: wslay would take a piece of memory for each of its frames.
  private var message: [UInt8] = []
  private var isWanted = false
  private var isInControlFrame = false
  private var isTooLarge = false

  /// - Parameter messageLimit: the most bytes that a message may have.
  init(messageLimit: Int, form: SocketForm = .text) throws(TransportError) {
    self.messageLimit = messageLimit
    self.form = form
    var callbacks = Frames.callbacks
    guard wslay_event_context_client_init(&context, &callbacks, Unmanaged.passUnretained(self).toOpaque()) == 0 else {
      throw .other("out of memory")
    }
    wslay_event_config_set_no_buffering(context, 1)
    wslay_event_config_set_max_recv_msg_length(context, UInt64(messageLimit))
  }

  deinit { wslay_event_context_free(context) }

  // What comes

  /// Takes bytes that came and gives the messages that are whole now.
  func absorb(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    guard wslay_event_get_read_enabled(context) == 1 else { return [] }
    incoming += bytes
    wslay_event_recv(context)
    defer { messages = [] }
    return messages
  }

  /// Whether it can do with more; else what it has waits for what is to be sent.
  var isHungry: Bool { incoming.isEmpty && wslay_event_get_read_enabled(context) == 1 }

  var isClosedByServer: Bool { wslay_event_get_close_received(context) == 1 }

  /// What the server gave as its reason; nil for none.
  var closeCode: Int? {
    let code = UInt32(wslay_event_get_status_code_received(context))
    return isClosedByServer && code != 0 && code != WSLAY_CODE_NO_STATUS_RCVD.rawValue ? Int(code) : nil
  }

  /// Whether the server broke the protocol; no frame of its is read any more then.
  var hasBreach: Bool { wslay_event_get_read_enabled(context) == 0 && !isClosedByServer }

  /// What is wrong then; known once what is to be sent has been taken.
  var breach: String {
    if isTooLarge { return "a message is larger than \(TransportError.words(limit: messageLimit))" }
    switch UInt32(wslay_event_get_status_code_sent(context)) {
    case WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA.rawValue: return "a message is not UTF-8"
    case WSLAY_CODE_MESSAGE_TOO_BIG.rawValue:
      return "a message is larger than \(TransportError.words(limit: messageLimit))"
    default: return "a frame breaks the WebSocket protocol"
    }
  }

  // What goes

  func send(_ message: [UInt8]) { queue(form == .text ? WSLAY_TEXT_FRAME : WSLAY_BINARY_FRAME, message) }

  func ping() { queue(WSLAY_PING, []) }

  /// Nothing is sent after it, and what is queued before it may not be either: to be called when nothing is.
  func close() { wslay_event_queue_close(context, UInt16(WSLAY_CODE_NORMAL_CLOSURE.rawValue), nil, 0) }

  /// Whether something is queued.
  var hasMore: Bool { wslay_event_want_write(context) == 1 }

  var hasSaidGoodbye: Bool { wslay_event_get_close_sent(context) == 1 }

  /// The next bytes to be sent; none when nothing is queued.
  func takeOutgoing() -> [UInt8] {
    wslay_event_send(context)
    defer { outgoing = [] }
    return outgoing
  }

  private func queue(_ opcode: wslay_opcode, _ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      var message = wslay_event_msg(
        opcode: UInt8(opcode.rawValue), msg: buffer.baseAddress, msg_length: buffer.count)
      wslay_event_queue_msg(context, &message)
    }
  }

  // wslay's side

  private static let callbacks = wslay_event_callbacks(
    recv_callback: { context, buffer, count, _, frames in
      Frames.at(frames).read(into: UnsafeMutableBufferPointer(start: buffer, count: count), for: context)
    },
    send_callback: { context, bytes, count, _, frames in
      Frames.at(frames).write(UnsafeBufferPointer(start: bytes, count: count), for: context)
    },
    genmask_callback: { _, buffer, count, frames in
      Frames.at(frames).fillMask(UnsafeMutableBufferPointer(start: buffer, count: count))
      return 0
    },
    on_frame_recv_start_callback: { _, frame, frames in
      if let frame { Frames.at(frames).begin(frame.pointee) }
    },
    on_frame_recv_chunk_callback: { _, chunk, frames in
      guard let chunk = chunk?.pointee else { return }
      Frames.at(frames).take(UnsafeBufferPointer(start: chunk.data, count: chunk.data_length))
    },
    on_frame_recv_end_callback: nil,
    on_msg_recv_callback: { _, message, frames in
      if let message { Frames.at(frames).finish(message.pointee) }
    })

  private static func at(_ context: UnsafeMutableRawPointer?) -> Frames {
    guard let context else { preconditionFailure("wslay lost the context") }
    return Unmanaged<Frames>.fromOpaque(context).takeUnretainedValue()
  }

  private func read(into buffer: UnsafeMutableBufferPointer<UInt8>, for context: wslay_event_context_ptr?) -> Int {
    // A server that sends pings and does not read the answers would have them pile up.
    let isBehind = wslay_event_get_queued_msg_count(context) > Frames.answerLimit
    guard !incoming.isEmpty, !isBehind else { return wait(context) }
    let count = min(buffer.count, incoming.count)
    _ = buffer.update(fromContentsOf: incoming.prefix(count))
    incoming = incoming.dropFirst(count)
    return count
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>, for context: wslay_event_context_ptr?) -> Int {
    guard outgoing.count < Frames.outgoingLimit else { return wait(context) }
    outgoing += bytes
    return bytes.count
  }

  private func wait(_ context: wslay_event_context_ptr?) -> Int {
    wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
    return -1
  }

  /// Unpredictable, or a page could make us say what a proxy takes for HTTP (RFC 6455, section 10.3).
  private func fillMask(_ mask: UnsafeMutableBufferPointer<UInt8>) {
    for index in mask.indices { mask[index] = UInt8.random(in: 0...255, using: &numbers) }
  }

  private func begin(_ frame: wslay_event_on_frame_recv_start_arg) {
    let opcode = UInt32(frame.opcode)
    isInControlFrame = opcode & 8 != 0
    if isInControlFrame { return }
    if opcode != WSLAY_CONTINUATION_FRAME.rawValue {
      isWanted = isWanted(opcode)
      message = []
    }
    // wslay itself counts single frames only.
    guard message.count + Int(frame.payload_length) > messageLimit else { return }
    isTooLarge = true
    wslay_event_queue_close(context, UInt16(WSLAY_CODE_MESSAGE_TOO_BIG.rawValue), nil, 0)
    wslay_event_shutdown_read(context)
  }

  private func take(_ chunk: UnsafeBufferPointer<UInt8>) {
    if isWanted, !isInControlFrame, !isTooLarge { message += chunk }
  }

  private func finish(_ whole: wslay_event_on_msg_recv_arg) {
    guard isWanted(UInt32(whole.opcode)), !isTooLarge else { return }
    messages.append(message)
    message = []
  }

  private func isWanted(_ opcode: UInt32) -> Bool {
    opcode == WSLAY_TEXT_FRAME.rawValue || form == .bytes && opcode == WSLAY_BINARY_FRAME.rawValue
  }
}
