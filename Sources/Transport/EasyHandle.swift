import CCurl

/// Owns a libcurl easy handle and the lists and buffers it points at. Belongs to the loop thread.
final class EasyHandle {
  let raw: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>

  init() throws(TransportError) {
    guard let raw = curl_easy_init() else { throw .other("out of memory") }
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try check(ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText))
  }

  deinit {
    curl_easy_cleanup(raw)
    curl_slist_free_all(headers)
    errorText.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
    try check(ccurl_set_long(raw, option, value))
  }

  /// libcurl copies the string.
  func set(_ option: CURLoption, _ value: String) throws(TransportError) {
    try check(ccurl_set_string(raw, option, value))
  }

  func set(_ option: CURLoption, _ pointer: UnsafeMutableRawPointer) throws(TransportError) {
    try check(ccurl_set_pointer(raw, option, pointer))
  }

  func set(_ option: CURLoption, _ receive: @escaping ccurl_receive) throws(TransportError) {
    try check(ccurl_set_receive(raw, option, receive))
  }

  /// The handle does not keep it alive.
  func setGate(_ gate: TrustGate) throws(TransportError) {
    gate.handle = raw
    let context = Unmanaged.passUnretained(gate).toOpaque()
    try set(CURLOPT_SSL_CTX_DATA, context)
    try check(
      ccurl_set_ssl_context(raw) { _, sslContext, context in TrustGate.at(context).prepareHandshake(in: sslContext) })
    try set(CURLOPT_PREREQDATA, context)
    try check(
      ccurl_set_before_request(raw) { context, _, _, _, _ in
        TrustGate.at(context).admitsRequest() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
  }

  /// libcurl copies the bytes.
  func setBody(_ bytes: [UInt8]) throws(TransportError) {
    try check(ccurl_set_size(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)))
    // Without an address libcurl would read the body from standard input.
    if bytes.isEmpty { return try set(CURLOPT_COPYPOSTFIELDS, "") }
    try check(bytes.withUnsafeBytes { ccurl_set_bytes(raw, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
  }

  /// Has `Transfer` told how many bytes of the body have left.
  func setProgress(_ progress: @escaping curl_xferinfo_callback, _ context: UnsafeMutableRawPointer)
    throws(TransportError)
  {
    try set(CURLOPT_XFERINFODATA, context)
    try check(ccurl_set_progress(raw, progress))
    try set(CURLOPT_NOPROGRESS, 0)
  }

  func setHeaders(_ lines: [String]) throws(TransportError) {
    for line in lines {
      guard let longer = curl_slist_append(headers, line) else { throw .other("out of memory") }
      headers = longer
    }
    try check(ccurl_set_list(raw, CURLOPT_HTTPHEADER, headers))
  }

  /// Sockets are for this process alone.
  func keepSocketsPrivate() throws(TransportError) { try check(ccurl_keep_sockets_private(raw)) }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(raw, info, &value) == CURLE_OK ? value : 0
  }

  /// What went wrong, in libcurl's words.
  func message(_ code: CURLcode) -> String {
    errorText.pointee != 0 ? String(cString: errorText) : String(cString: curl_easy_strerror(code))
  }

  private func check(_ code: CURLcode) throws(TransportError) {
    guard code == CURLE_OK else { throw .other("libcurl: \(String(cString: curl_easy_strerror(code)))") }
  }
}
