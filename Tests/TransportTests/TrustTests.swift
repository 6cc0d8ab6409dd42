import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite(.enabled(if: ScriptedServer.isAvailable && openssl != nil, "python3 or openssl is not on the path"))
struct TrustTests {
  @Test func `a certificate that nobody vouches for is not trusted, and nothing is sent`() async throws {
    try await withTemporaryDirectory { folder in
      let (certificate, key) = (folder.appendingPathComponent("cert.pem"), folder.appendingPathComponent("key.pem"))
      let making = Process()
      making.executableURL = openssl
      making.arguments = [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate.path, "-keyout", key.path,
      ]
      making.standardError = FileHandle.nullDevice
      try making.run()
      making.waitUntilExit()
      try #require(making.terminationStatus == 0)

      let server = try ScriptedServer(certificate: certificate, key: key)
      let http = CurlHTTP(proxy: ProxySettings(), version: "0")
      let error = await failure { () async throws(TransportError) in
        try await http.send(HTTPRequest("GET", "\(server.address)/ok/v1/models", headers: [("Authorization", "s3")]))
      }
      guard case .untrusted(let distrust) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(distrust.certificate.problems == [.selfSigned])
      #expect(try server.requests(containing: "").isEmpty)
    }
  }
}

private let openssl = ScriptedServer.program("openssl")
