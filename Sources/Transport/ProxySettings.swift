import Addresses
import Chat

/// The proxies of the environment. libcurl is told which to use; it never looks for itself.
package struct ProxySettings: Sendable, Equatable {
  /// For `http://` addresses.
  package var http: String?
  /// For `https://` addresses.
  package var https: String?
  /// Hosts that are spoken to without a proxy, separated by commas, as curl reads `no_proxy`.
  package var exceptions: String

  package init(http: String? = nil, https: String? = nil, exceptions: String = "") {
    self.http = http
    self.https = https
    self.exceptions = exceptions
  }

  /// Reads `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` and their upper-case forms. `HTTP_PROXY` is not
  /// read: a web server sets it from a request's `Proxy` header (CVE-2016-5385). An empty variable counts as unset.
  package init(environment: [String: String]) {
    func value(_ names: String...) -> String? {
      names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }
    let all = value("all_proxy", "ALL_PROXY")
    self.init(
      http: value("http_proxy") ?? all, https: value("https_proxy", "HTTPS_PROXY") ?? all,
      exceptions: value("no_proxy", "NO_PROXY") ?? "")
  }

  /// nil for what is asked straight. This machine always is: another one would ask itself, and be shown the key that
  /// plain http may have for this one alone (docs/rules.md T9).
  func proxy(for url: String) -> String? {
    // What is no address is sent nowhere.
    if let server = try? ServerKey.parse(url).key, server.isThisMachine { return nil }
    return url.lowercased().hasPrefix("https:") ? https : http
  }
}
