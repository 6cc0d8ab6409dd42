import Addresses
import CCurl
package import Chat
import Glibc

extension EasyHandle {
  /// What a result of libcurl's means. It gives one code to different things, which the system's error, the phase and
  /// the proxy tell apart.
  func failure(_ code: CURLcode, url: String, proxy: String?, headIsIn: Bool) -> TransportError {
    let message = message(code)
    switch code {
    case CURLE_URL_MALFORMAT: return .badRequest(message)
    case CURLE_COULDNT_RESOLVE_PROXY:
      guard let proxy, !ProxySettings.isRefused(proxy) else {
        return .proxy("an https:// proxy is not supported; use http:// or socks5h://")
      }
      return .proxy("its name is not known")
    case CURLE_COULDNT_RESOLVE_HOST: return .unknownHost(address(of: url)?.host ?? url)
    case CURLE_COULDNT_CONNECT: return connectFailure(message, proxy: proxy)
    case CURLE_PROXY: return .proxy(message)
    case CURLE_OPERATION_TIMEDOUT: return headIsIn ? .readTimeout : .connectTimeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
      return .tls(message)
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      let proxyStatus = number(CURLINFO_HTTP_CONNECTCODE)
      return proxyStatus >= 300 ? .proxy("it answered \(proxyStatus)") : .closedEarly(message)
    case CURLE_WEIRD_SERVER_REPLY: return .notHTTP
    case CURLE_UNSUPPORTED_PROTOCOL where message.contains("HTTP/0.9"): return .notHTTP
    case CURLE_BAD_CONTENT_ENCODING: return .badEncoding
    // A header line longer than libcurl takes: CURLE_TOO_LARGE (100) since 8.6, before that out of memory.
    case CURLE_OUT_OF_MEMORY, CURLcode(100): return headIsIn ? .other(message) : .tooLarge(limit: HeadParser.limit)
    default: return .other(message)
    }
  }

  private func connectFailure(_ message: String, proxy: String?) -> TransportError {
    let systemError = Int32(number(CURLINFO_OS_ERRNO))
    let reason: TransportError =
      switch systemError {
      case ECONNREFUSED: .refused
      case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: .unreachableNetwork
      case ETIMEDOUT: .connectTimeout
      default: .other(message)
      }
    // The text names the peer that was tried; nothing else tells whether an exception passed by the proxy.
    guard let proxy, let (host, port) = address(of: proxy, defaultScheme: "http"),
      message.contains("connect to \(host) port \(port) ")
    else { return reason }
    return .proxy(systemError == 0 ? message : String(cString: strerror(systemError)).lowercased())
  }

  private func address(of url: String, defaultScheme: String? = nil) -> (host: String, port: String)? {
    guard let parts = curl_url() else { return nil }
    defer { curl_url_cleanup(parts) }
    let flags = CURLU_NON_SUPPORT_SCHEME | (defaultScheme == nil ? 0 : CURLU_GUESS_SCHEME)
    guard curl_url_set(parts, CURLUPART_URL, url, UInt32(flags)) == CURLUE_OK,
      let host = part(CURLUPART_HOST, of: parts)
    else { return nil }
    // curl's own default for a proxy is 1080, not its scheme's port.
    return (host, part(CURLUPART_PORT, of: parts) ?? "1080")
  }
}

extension TransportError {
  /// The same as a reason for not reaching a server.
  package var unreachable: BackendError.Unreachable {
    switch self {
    case .badRequest(let what): .badAddress(what)
    case .unknownHost: .unknownHost
    case .refused: .refused
    case .unreachableNetwork: .unreachableNetwork
    case .proxy(let what): .proxy(what)
    case .tls(let what): .tls(what)
    case .untrusted: .tls("certificate not trusted")
    case .closedEarly: .reset
    case .breach(let what): .other(what)
    case .notHTTP: .other("not HTTP")
    case .notSwitched(let status, _): .other("no WebSocket (status \(status))")
    case .badEncoding: .other("its compression is broken")
    case .connectTimeout, .headersTimeout, .readTimeout: .other("time-out")
    case .tooLarge(let limit): .other("more than \(TransportError.words(limit: limit))")
    case .cancelled: .other("cancelled")
    case .other(let what): .other(what)
    }
  }
}
