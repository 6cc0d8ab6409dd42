import Foundation
import Wire

/// Grants under way at the identity provider: codes of browsers, and codes of devices.
actor IdentityProvider {
  /// What a browser was sent here with (RFC 6749, 4.1.1, and RFC 7636).
  struct Wish: Sendable {
    var redirect: String
    var state: String?
    /// The S256 challenge; nil for the platform's own sign-in, which keeps its code to itself.
    var challenge: String?
  }

  private struct Code: Sendable {
    var wish: Wish
    var user: User
    var expires: Int
  }

  private struct Device: Sendable {
    var userCode: String
    var user: User?
    var isDenied = false
    var expires: Int
    var lastAsked = 0
  }

  static let deviceLife = 600
  static let interval = 1

  private var codes: [String: Code] = [:]
  private var devices: [String: Device] = [:]

  /// A code that is good once, for a minute.
  func makeCode(for user: User, _ wish: Wish) -> String {
    let code = Base64URL.encode(Tokens.random(24))
    codes[code] = Code(wish: wish, user: user, expires: Timestamps.now + 60)
    return code
  }

  /// The user whose code it is; refuses a spent code, another address and a wrong verifier.
  func redeem(_ code: String, redirect: String, verifier: String?) throws(Refusal) -> User {
    guard let found = codes.removeValue(forKey: code), found.expires > Timestamps.now else {
      throw .oauth(400, "invalid_grant", "Code not valid")
    }
    guard found.wish.redirect == redirect else { throw .oauth(400, "invalid_grant", "Incorrect redirect_uri") }
    if let challenge = found.wish.challenge {
      let made = Base64URL.encode(Tokens.digest(Array((verifier ?? "").utf8)))
      guard Tokens.isEqual(made, challenge) else {
        throw .oauth(400, "invalid_grant", "PKCE verification failed: Code mismatch")
      }
    }
    return found.user
  }

  /// Device code and user code (RFC 8628, 3.2).
  func makeDevice() -> (device: String, user: String) {
    let letters = Array("BCDFGHJKLMNPQRSTVWXZ")
    let drawn = Tokens.random(8).map { String(letters[Int($0) % letters.count]) }
    let user = drawn.prefix(4).joined() + "-" + drawn.suffix(4).joined()
    let device = Base64URL.encode(Tokens.random(24))
    devices[device] = Device(userCode: user, expires: Timestamps.now + Self.deviceLife)
    return (device, user)
  }

  /// Lets the device in, or turns it away; false when no device waits with that code.
  func decide(_ userCode: String, _ user: User?) -> Bool {
    let typed = userCode.uppercased().filter(\.isLetter)
    guard let device = devices.first(where: { $0.value.userCode.filter(\.isLetter) == typed })?.key else {
      return false
    }
    devices[device]?.user = user
    devices[device]?.isDenied = user == nil
    return true
  }

  /// The user who let the device in (RFC 8628, 3.5).
  func redeem(device code: String) throws(Refusal) -> User {
    guard let device = devices[code] else { throw .oauth(400, "invalid_grant", "Device code not valid") }
    let now = Timestamps.now
    guard device.expires > now else {
      devices[code] = nil
      throw .oauth(400, "expired_token", "Device code is expired")
    }
    if device.isDenied {
      devices[code] = nil
      throw .oauth(400, "access_denied", "The end user denied the authorization request")
    }
    guard let user = device.user else {
      devices[code]?.lastAsked = now
      // Seconds are coarse: only two questions within the same one are surely too quick.
      if device.lastAsked == now { throw .oauth(400, "slow_down", "Slow down") }
      throw .oauth(400, "authorization_pending", "The authorization request is still pending")
    }
    devices[code] = nil
    return user
  }
}
