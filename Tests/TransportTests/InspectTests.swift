import Addresses
import Chat
import Foundation
import TestSupport
import Testing

@testable import Transport

extension WithTLS {
  @Suite struct InspectTests {
    @Test func `a certificate is described as it is`() async throws {
      let cast = try await Cast.get()
      let (identity, server) = try await onItsOwnThread {
        let names = "DNS:localhost,DNS:*.kz.lan,IP:127.0.0.1,IP:::1"
        let identity = try cast.make.make("kz.lan", names: names, until: 5)
        return (identity, try TLSServer(identity))
      }
      let look = await CurlHTTP(ToldTrust(), in: cast).inspect("https://LOCALHOST:\(server.port)/", connectTimeout: 10)
      let certificate = try #require(look.certificate)
      #expect((look.host, look.port) == ("localhost", server.port))
      #expect(certificate.subject == "O=Example, CN=kz.lan")
      #expect(certificate.issuer == "O=Example, CN=kz.lan")
      #expect(certificate.names == ["localhost", "*.kz.lan", "127.0.0.1", "::1"])
      #expect(certificate.key == "EC P-256")
      #expect(abs(certificate.validUntil - certificate.validFrom - 6 * 86400) <= 2)
      #expect(abs(certificate.validUntil - Int(Date().timeIntervalSince1970) - 5 * 86400) <= 60)
      #expect(certificate.der == (try identity.der))
      #expect(certificate.problems == [.selfSigned])
      #expect(look.addresses.contains("127.0.0.1"))
    }

    @Test func `what no certificate is gives none`() async throws {
      let cast = try await Cast.get()
      let server = ServerKey(host: "a", port: 1)
      let der = try cast.root.der
      #expect(ServerCertificate(of: server, der: der, problems: []) != nil)
      for length in 0..<der.count {
        #expect(ServerCertificate(of: server, der: Array(der.prefix(length)), problems: []) == nil)
      }
      #expect(ServerCertificate(of: server, der: der + [0], problems: []) == nil)
    }
  }
}

extension WithServer {
  @Suite struct PlainInspectTests {
    private let http = CurlHTTP(proxy: ProxySettings(), version: "0")

    @Test func `plain http is a connection and no more`() async throws {
      let server = try ScriptedServer()
      let look = await http.inspect("\(server.address)/look", connectTimeout: 10)
      #expect(look.host == "127.0.0.1")
      #expect(look.addresses == ["127.0.0.1"])
      #expect(look.failure == nil)
      #expect(look.certificate == nil)
      #expect(look.verdict == nil)
      #expect(try server.requests(containing: "").isEmpty)
    }

    @Test func `a port where nobody listens leaves the addresses`() async {
      let look = await http.inspect("https://localhost:1/", connectTimeout: 10)
      #expect(look.failure == .refused)
      #expect(look.addresses.contains("127.0.0.1"))
      #expect(look.certificate == nil)
    }

    @Test func `a name that cannot be has no addresses`() async {
      let look = await http.inspect("https://a..b/", connectTimeout: 10)
      #expect(look == Inspection(host: "a..b", port: 443, failure: .unknownHost))
    }

    @Test func `an address with a user name in it is not looked at`() async {
      let look = await http.inspect("https://user:secret@127.0.0.1/", connectTimeout: 10)
      #expect(look.failure == .badAddress("the address has a user name in it"))
      #expect(!"\(look)".contains("secret"))
    }
  }
}

@Suite struct ServerKeyTests {
  @Test(arguments: [
    ("https://KZ.Lan/", "kz.lan", 443), ("https://kz.lan.:8443/v1", "kz.lan", 8443), ("http://kz.lan", "kz.lan", 80),
    ("https://[::1]:61101/", "::1", 61101), ("https://[0:0:0:0:0:0:0:1]/", "::1", 443),
    ("https://[fe80::1%25eth0]/", "fe80::1%eth0", 443), ("https://127.1:5/", "127.0.0.1", 5),
    ("https://127.0.0.1./", "127.0.0.1", 443),
  ])
  func `a server has one name, however it is written`(url: String, host: String, port: Int) throws {
    let key = try ServerKey.parse(url).key
    #expect((key.host, key.port) == (host, port))
    #expect(key.isAddress == (key.name.contains(":") || key.name.hasPrefix("127.")))
  }

  @Test func `the network interface of an address is part of the server and not of the certificate`() throws {
    #expect(try ServerKey.parse("https://[fe80::1%25eth0]/").key.name == "fe80::1")
  }

  @Test(arguments: [
    ("OpenSSL/3.0.19", true), ("GnuTLS/3.7.9", false), ("(OpenSSL/3.0) GnuTLS/3.7", false), ("", false),
  ])
  func `https needs a libcurl that uses OpenSSL`(library: String, isFit: Bool) {
    #expect((TrustGate.reasonAgainst(library) == nil) == isFit)
  }

  @Test func `names below an exception are exceptions too`() {
    let proxy = ProxySettings(exceptions: "localhost, .lan,Example.com")
    #expect(["localhost", "kz.lan", "example.com", "a.example.com"].allSatisfy(proxy.isException))
    #expect(!["lan.com", "badexample.com", "localhost.de"].contains(where: proxy.isException))
    #expect(ProxySettings(exceptions: "*").isException("a"))
    #expect(!ProxySettings().isException("a"))
  }
}
