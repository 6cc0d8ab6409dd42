import Chat
import Text

/// What went wrong in pairing, in words (docs/acp.md 10).
extension Complaint {
  init(_ problem: PairingProblem) {
    let (text, hint): (SafeText, SafeText?) =
      switch problem {
      case .empty: ("no pairing code was given", "paste the link that the bridge shows, or /pair HOST:PORT CODE")
      case .unknown:
        ("that is no pairing code: neither a link nor JSON", "it begins with https:// and has /pair/ in it, or with {")
      case .scheme(let scheme):
        ("a pairing link begins with https://, not \(scheme)://", "the bridge's own screen shows the link")
      case .inTheClear(let host):
        (
          "\(host) would be paired with in the clear: whoever listens gets the token",
          "turn TLS on at the bridge; --plain pairs all the same"
        )
      case .otherPath(let path): ("that link leads to \(path), not to /pair/", "the bridge's own screen shows the link")
      case .badAddress: ("the address in the pairing code cannot be read", "it takes https://HOST:PORT/pair/…")
      case .noCode:
        ("the pairing link has no code", "it ends in ?code=…; on a command line quotes keep the & from cutting it")
      case .badCode: ("a pairing code has up to 12 digits or letters, and nothing else", nil)
      case .badFingerprint:
        ("the fingerprint in the pairing code cannot be read", "it has 64 hexadecimal digits; was the text cut?")
      case .otherProtocol(let name):
        ("the pairing code is for protocol '\(name)', and acp is spoken here", nil)
      case .missing(let field): ("the pairing code has no \(field) that can be used", "was the text cut?")
      }
    self.init(text, hint: hint, .usage)
  }

  static func pairing(_ refusal: PairingRefusal, at address: String) -> (SafeText, hint: SafeText?) {
    switch refusal {
    case .missingCode: ("\(address) found no code in the link", "the bridge's own screen shows the whole link")
    case .invalidCode:
      (
        "\(address) does not take this code: it is wrong, was used, or is older than a minute",
        "check the digits; for another code start the bridge anew, and /pair with it at once"
      )
    case .rateLimited:
      ("\(address) takes no more codes after too many wrong ones", "start the bridge anew for another code")
    case .disabled: ("\(address) lets nobody pair with it", "start the bridge with pairing turned on")
    case .dropped:
      (
        "\(address) ended the connection before it said a word, as bridges do after too many in a minute",
        "wait a minute, then /pair again"
      )
    case .badCredentials(let problem):
      ("\(address) gave credentials that cannot be used: \(Complaint(problem).text)", "is the bridge up to date?")
    case .otherCertificate:
      (
        "the credentials of \(address) name another certificate than the one it shows: nothing was kept",
        "somebody may sit between you and the bridge"
      )
    }
  }
}
