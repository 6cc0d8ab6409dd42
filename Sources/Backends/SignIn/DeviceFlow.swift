import Chat
import Transport
import Wire

// By way of another device (RFC 8628).
extension BrowserFlow {
  func withDevice(_ url: String) async throws(BackendError) -> BrowserSignIn {
    var answer = try await ask(url, ["client_id": issuer.clientID, "scope": BrowserFlow.scope])
    if answer.json?["error"]?.string == "invalid_scope" {
      answer = try await ask(url, ["client_id": issuer.clientID, "scope": "openid email profile"])
    }
    guard answer.isSuccess else { throw refused(error: answer.json?["error"]?.string) }
    guard let json = answer.unmaskedJSON, let grant = DeviceGrant(json) else {
      throw .malformed(address: endpoint.address, detail: "no code for another device")
    }
    let deadline = endpoint.clock.now() + Double(grant.lifetime)
    return BrowserSignIn(url: grant.page, code: grant.userCode) { () async throws(BackendError) in
      try await poll(grant, until: deadline)
    }
  }

  private func poll(_ grant: DeviceGrant, until deadline: Double) async throws(BackendError) -> SignedIn {
    var interval = Double(grant.interval)
    while endpoint.clock.now() < deadline {
      await endpoint.clock.sleep(interval)
      guard !Task.isCancelled else { throw .cancelled }
      let answer: Result<Tokens, TokenRefusal>
      do throws(BackendError) {
        answer = try await tokens([
          "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": grant.deviceCode.reveal(),
          "client_id": issuer.clientID,
        ])
      } catch {
        guard case .timedOut = error else { throw error }
        interval *= 2  // RFC 8628, section 3.5
        continue
      }
      switch answer {
      case .success(let tokens): return try await keep(tokens, issuer.tokenEndpoint)
      case .failure(let refusal):
        switch refusal.word {
        case "authorization_pending": break
        case "slow_down": interval += 5
        default: throw refused(error: refusal.word)
        }
      }
    }
    throw refused(error: "expired_token")
  }
}

/// What begins a sign-in on another device (RFC 8628, section 3.2).
private struct DeviceGrant {
  var deviceCode: Secret
  var userCode: String
  var page: String
  /// Seconds.
  var interval: Int
  var lifetime: Int

  init?(_ json: JSON) {
    guard let code = json["device_code"]?.string, let userCode = json["user_code"]?.string,
      let page = json[either: "verification_uri", "verification_url"]?.string, Origin(url: page) != nil
    else { return nil }
    deviceCode = Secret(code)
    self.userCode = userCode
    self.page = page
    interval = min(max(json["interval"]?.int ?? 5, 1), 60)
    lifetime = min(max(json["expires_in"]?.int ?? 600, 1), 3600)
  }
}
