import Chat
import TestSupport
import Testing
import Wire

@testable import Backends

/// The documents of signing in, in all the ways they can come, are read.
@Suite struct KamiwazaAccountSchemaTests {
  /// 50 documents in each style, through bytes as they come.
  private func check(_ name: String, _ isRead: (JSON) -> Bool) throws {
    for style in SchemaSamples.Style.allCases {
      var samples = try SchemaSamples(style)
      for number in 0..<50 {
        let sent = try JSON(parsing: samples.sample(of: name).bytes())
        #expect(isRead(sent), "SCHEMA_SEED=\(SeededNumbers.seed), \(style) \(number): \(sent.serialized())")
      }
    }
  }

  /// Whatever a schema calls text may stand there; a token that no header can carry is none.
  private func fits(_ text: String?) -> Bool { text.map { Secret($0).fitsHeader } ?? false }

  @Test func `tokens`() throws {
    try check("TokenResponse") { sent in
      let read = Tokens(sent)
      guard fits(sent["access_token"]?.string) else { return read == nil }
      return read?.access.reveal() == sent["access_token"]?.string
        && read?.refresh?.reveal() == sent["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        && (0..<1_000_000_000 ~= sent["expires_in"]?.int ?? -1) == (read?.lifetime != nil)
    }
  }

  @Test func `who asks`() throws {
    try check("UserInfo") { sent in
      guard let name = sent["username"]?.string, !name.isEmpty else { return true }
      let read = UserInfo(sent)
      return read?.name == name && read?.email == sent["email"]?.string
        && read?.roles == (sent["roles"]?.array ?? []).compactMap(\.string)
        && read?.groups == (sent["groups"]?.array ?? []).compactMap(\.string)
    }
  }

  @Test func `a personal access token and the policy`() throws {
    try check("PATCreateResponse") { sent in
      let read = MadePAT(sent)
      guard fits(sent["token"]?.string) else { return read == nil }
      return read?.token.reveal() == sent["token"]?.string && read?.id == sent["pat"]?["jti"]?.string
    }
    try check("PATConfigResponse") { sent in
      let read = PATPolicy(sent)
      let most = sent["ttl"]?["max_seconds"]?.int ?? 0
      return read.maximum == (most > 0 ? most : nil) && (read.maximum.map { read.lifetime <= max($0, 0) } ?? true)
    }
  }

  @Test func `what stands before a sign-in`() throws {
    try check("SecurityConfigResponse") { sent in
      let read = ConsentConfig(sent)
      return (read.consent != nil) == (sent["consent_enabled"]?.bool ?? false)
        && (sent["banner_enabled"]?.bool ?? false || read.banner.isEmpty)
    }
  }
}
