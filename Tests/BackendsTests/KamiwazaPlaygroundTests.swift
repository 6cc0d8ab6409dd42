import Chat
import Foundation
import TestSupport
import Testing
import Transport

@testable import Backends

/// A platform that runs, over a network that is real.
@Suite(.ownThread) struct KamiwazaPlaygroundTests {
  private func find(_ playground: RunningPlayground) async throws -> (FoundServer, any Backend) {
    let http = CurlHTTP(proxy: ProxySettings(environment: [:]), version: "0")
    let found = try await Backends.probe(playground.address, http: http)
    let server = Server(name: "kz", kind: found.kind, url: found.url)
    return (found, try #require(Backends.make(server, http: http)))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [[], ["--prefix", "/kz"], ["--seed-shape"]])
  func `everything there is to browse is listed and shown`(arguments: [String]) async throws {
    let playground = try RunningPlayground(["--no-auth"] + arguments)
    let (found, backend) = try await find(playground)
    #expect(found.kind == "kamiwaza" && found.url.hasPrefix(playground.address))
    #expect(found.models?.isEmpty == false)
    let browsing = try #require(backend.browsing)
    for topic in browsing.topics {
      let items = try await browsing.list(topic)
      #expect(!items.isEmpty, "\(topic)")
      #expect(Set(items.map(\.id)).count == items.count, "\(topic)")
      #expect(Set(items.map { $0.fields.map(\.key) }).count == 1, "\(topic)")
      for item in items {
        let detail = try await browsing.detail(item, of: topic)
        #expect(detail.id == item.id && detail.fields.count > item.fields.count, "\(topic) \(item.name)")
        #expect(Set(detail.fields.map(\.key)).count == detail.fields.count, "\(topic) \(item.name)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `a platform that wants a sign-in is found, and says so when it is asked`()
    async throws
  {
    let playground = try RunningPlayground([])
    let (found, backend) = try await find(playground)
    #expect(found.models == nil)
    await #expect {
      _ = try await backend.models()
    } throws: { error in
      guard case .unauthorized? = error as? BackendError else { return false }
      return true
    }
  }

  @Test(.timeLimit(.minutes(5))) func `a model that failed is gone, in the server's words`() async throws {
    let playground = try RunningPlayground(["--no-auth"])
    let (found, backend) = try await find(playground)
    let failed = try #require(found.models?.first { $0.state == "failed" })
    #expect(!failed.isReady && failed.note != nil)
    var question = ChatRequest.hello
    question.model = failed.id
    #expect(await Outcome(of: backend.answer(question)).error == .modelGone(name: failed.id, state: "failed"))
  }
}

/// A playground that ends with the object or the process.
// Sendable: the process is started in init, and then only held.
private final class RunningPlayground: @unchecked Sendable {
  let address: String
  private let process = Process()
  private let input = Pipe()
  private let state = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "playground")
    process.arguments = ["--while-stdin-open", "--state", state.path] + arguments
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split(separator: " ")
    address = try #require(words.dropFirst().first).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit {
    process.terminate()
    try? FileManager.default.removeItem(at: state)  // a leftover in /tmp fails no test
  }
}
