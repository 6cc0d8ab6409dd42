import Testing
import Text

@Suite struct CorpusTests {
  @Test(arguments: Filter.Profile.all) func `no attack reaches the terminal`(_ profile: Filter.Profile) {
    for attack in Attack.all {
      for bytes in [attack.bytes, attack.bytes + attack.bytes] {
        #expect(harm(in: filtered(bytes: [bytes], profile).text, profile) == nil, "\(attack)")
      }
    }
  }

  @Test(arguments: Filter.Profile.all) func `an attack split anywhere filters the same`(_ profile: Filter.Profile) {
    for attack in Attack.all {
      let whole = filtered(bytes: [attack.bytes], profile)
      #expect(filtered([attack.text], profile) == whole, "\(attack)")
      for cut in cuts(attack.bytes.count) {
        let pieces = [Array(attack.bytes[..<cut]), Array(attack.bytes[cut...])]
        #expect(filtered(bytes: pieces, profile) == whole, "\(attack) at byte \(cut)")
      }
      let scalars = Array(attack.text.unicodeScalars)
      for cut in cuts(scalars.count) {
        let pieces = [scalars[..<cut], scalars[cut...]].map { String(String.UnicodeScalarView($0)) }
        #expect(filtered(pieces, profile) == whole, "\(attack) at scalar \(cut)")
      }
    }
  }

  @Test(arguments: Filter.Profile.all) func `an attack in single bytes filters the same`(_ profile: Filter.Profile) {
    for attack in Attack.all where attack.bytes.count < 1000 {
      let whole = filtered(bytes: [attack.bytes], profile)
      #expect(filtered(bytes: attack.bytes.map { [$0] }, profile) == whole, "\(attack)")
    }
  }

  @Test(arguments: Filter.Profile.all) func `filtering an attack twice changes nothing`(_ profile: Filter.Profile) {
    for attack in Attack.all {
      let once = filtered(bytes: [attack.bytes + attack.bytes], profile).text
      #expect(filtered([once], profile) == Filtered(text: once), "\(attack)")
    }
  }

  /// Nothing that follows an unfinished sequence may be swallowed with it.
  @Test(arguments: [
    ("{\"content\":\"", "\"}"), ("# Title\n\n```sh\n", "\n```\n"), ("read_", "_file"),
    ("CN=", ",O=Example"),
    ("/tmp/", ".txt"),
  ]) func `what stands around an attack stays`(_ before: String, _ after: String) {
    for attack in Attack.all {
      // Not `block`, which closes isolates behind the text.
      let code = filtered(bytes: [Array(before.utf8) + attack.bytes + Array(after.utf8)], .code).text
      #expect(code.unicodeScalars.starts(with: before.unicodeScalars), "\(attack)")
      #expect(code.unicodeScalars.reversed().starts(with: after.unicodeScalars.reversed()), "\(attack)")
      let inline = Filter.inline(before + attack.text + after)
      #expect(harm(in: inline.string, .inline) == nil, "\(attack)")
      #expect(inline.string.unicodeScalars.count >= before.unicodeScalars.count + after.unicodeScalars.count)
    }
  }

  @Test(arguments: Attack.long, [Filter.Profile.block, .command])
  func `a long attack is filtered like a short one`(_ attack: Attack, _ profile: Filter.Profile) {
    let whole = filtered(bytes: [attack.bytes], profile)
    #expect(harm(in: whole.text, profile) == nil)
    let pieces = stride(from: 0, to: attack.bytes.count, by: 4093).map { Array(attack.bytes[$0...].prefix(4093)) }
    #expect(filtered(bytes: pieces, profile) == whole)
    #expect(filtered([whole.text], profile) == whole)
  }

  private func cuts(_ count: Int) -> [Int] {
    count < 100 ? Array(0...count) : Array(stride(from: 1, to: count, by: count / 50))
  }
}
