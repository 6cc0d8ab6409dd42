/// What a server's sign-in is kept under: one spelling of its address, without anything that could be a secret, since
/// programs get it as an argument.
struct AccountName: Hashable {
  let text: String

  init(_ url: String) {
    var text = Servers.canonical(String(url.prefix { $0 != "?" && $0 != "#" }))
    if let scheme = text.firstRange(of: "://") {
      let rest = text[scheme.upperBound...]
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        text.removeSubrange(scheme.upperBound...at)
      }
    }
    self.text = text
  }

  /// For the name of a file: 16 digits. Two accounts with the same ones would only wait for each other.
  var digest: String { fnv(text) }
}

/// The 64 bits of FNV-1a as hexadecimal digits: for names of files, no protection against anybody.
func fnv(_ text: String) -> String {
  let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  let digits = String(hash, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}
