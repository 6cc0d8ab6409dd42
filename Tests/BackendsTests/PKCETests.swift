import Chat
import Testing

@testable import Backends

struct PKCETests {
  @Test func `the challenge is that of RFC 7636, appendix B`() {
    let proof = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func `verifiers are long enough and never the same`() {
    let verifiers = Set((0..<100).map { _ in PKCE().verifier })
    #expect(verifiers.count == 100)
    #expect(verifiers.allSatisfy { $0.count == 43 })
  }

  @Test func `claims are read from a token and from nothing else`() {
    let claims = TokenClaims(
      Secret(jwt(#"{"exp":1790000000,"jti":"p-1","realm_access":{"roles":["a"]},"roles":["b"]}"#)))
    #expect(claims?.expiresAt == 1_790_000_000_000 && claims?.id == "p-1" && claims?.roles == ["a", "b"])
    for text in ["", "a.b.c", "pat_123", "e30.bm90IGpzb24.x", "e30.W10.x"] { #expect(TokenClaims(Secret(text)) == nil) }
    #expect(TokenClaims(Secret(jwt(#"{"exp":1e300}"#)))?.expiresAt == nil)
    #expect(TokenClaims(Secret(jwt("{}")))?.roles == nil)
  }
}
