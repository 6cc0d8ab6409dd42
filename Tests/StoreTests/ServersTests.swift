import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct ServersTests {
  @Test func `servers, their models and the current one survive`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/servers.json"
      var servers = Servers(path)
      #expect(servers.current == nil)
      _ = try servers.add(kind: "openai", url: "http://gpu1:8000/v1")
      let second = try servers.add(kind: "openai", url: "http://gpu1:8001/v1")
      #expect(second.server.name == "gpu1-2")
      try servers.choose(model: "qwen", of: "gpu1")
      try servers.remember([Model(id: "qwen", contextWindow: 4096, state: "loaded")], of: "gpu1", at: 77)
      try servers.use("gpu1")

      let again = Servers(path)
      #expect(again.entries == servers.entries)
      #expect(again.current?.server == Server(name: "gpu1", kind: "openai", url: "http://gpu1:8000/v1"))
      #expect(again.current?.model == "qwen")
      #expect(again.current?.models == [Model(id: "qwen", contextWindow: 4096, state: "loaded")])
      #expect(again.current?.modelsListedAt == 77)
      var facts = stat()
      #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `what else there is to know of a server and its models survives`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      var servers = Servers(path)
      _ = try servers.add(kind: "kamiwaza", url: "https://kz")
      let models = [
        Model(id: "a", isReady: false, note: "stopped", deployment: "d-1"), Model(id: "b"),
      ]
      try servers.remember(models, of: "kz", at: 5)
      try servers.allow(origin: "http://10.0.0.7:61105/", for: "kz")
      try servers.allow(origin: "HTTP://10.0.0.7:61105", for: "kz")
      #expect(throws: Servers.Failure.noServer("x")) { try servers.allow(origin: "http://a", for: "x") }
      let again = Servers(path)
      #expect(again.entries == servers.entries)
      #expect(again.current?.models == models)
      #expect(again.current?.server.allowedOrigins == ["http://10.0.0.7:61105"])
      _ = try servers.add(kind: "openai", url: "https://KZ/")
      #expect(servers.current?.server.allowedOrigins == ["http://10.0.0.7:61105"])
    }
  }

  @Test func `a chosen model stays whatever is asked, one that was only asked last does not`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      var servers = Servers(path)
      _ = try servers.add(kind: "k", url: "http://a")
      try servers.note(asked: "first", of: "a")
      try servers.note(asked: "second", of: "a")
      #expect(Servers(path).current?.model == "second")
      #expect(Servers(path).current?.isModelChosen == false)
      try servers.choose(model: "big", of: "a")
      try servers.note(asked: "other", of: "a")
      #expect(Servers(path).current?.model == "big")
      #expect(Servers(path).current?.isModelChosen == true)
    }
  }

  @Test func `what a later version wrote stays with its server`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      let list = #"""
        {"version": 2, "later": {"x": 1}, "current": "a", "servers": [
          {"name": "a", "kind": "k", "url": "http://a", "colour": "red", "model": "m"},
          {"name": "b", "kind": "k", "url": "http://b", "colour": "blue"}]}
        """#
      try AtomicFile.write(Array(list.utf8), to: path)
      var servers = Servers(path)
      try servers.rename("a", to: "renamed")
      try servers.note(asked: nil, of: "renamed")
      try servers.remove("b")
      let text = String(decoding: try #require(try AtomicFile.read(path)), as: UTF8.self)
      #expect(text.contains("\"later\"") && text.contains("red") && !text.contains("blue"))
      #expect(text.contains("\"version\": 2") && !text.contains("\"model\""))
      #expect(Servers(path).entries == servers.entries)
      #expect(Servers(path).current?.server.name == "renamed")
    }
  }

  @Test func `where nothing is written the list is read and its changes stay in memory`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/servers.json"
      var empty = Servers(path, writes: false)
      _ = try empty.add(kind: "k", url: "http://a")
      try empty.remember([Model(id: "m")], of: "a", at: 7)
      #expect(empty.current?.models.map(\.id) == ["m"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)

      var kept = Servers(path)
      _ = try kept.add(kind: "k", url: "http://kept")
      let before = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/data").sorted()
      var here = Servers(path, writes: false)
      #expect(here.current?.server.name == "kept")
      _ = try here.add(kind: "k", url: "http://b")
      try here.rename("kept", to: "renamed")
      #expect(here.entries.map(\.server.name) == ["renamed", "b"])
      #expect(throws: Servers.Failure.noServer("kept")) { try here.use("kept") }
      #expect(Servers(path).entries == kept.entries)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/data").sorted() == before)
    }
  }

  @Test func `a change that cannot be written is not made in memory either`() async throws {
    try await withTemporaryDirectory { directory in
      let good = directory.path + "/servers.json"
      var servers = Servers(good)
      _ = try servers.add(kind: "openai", url: "http://gpu1:8000/v1")
      _ = try servers.add(kind: "openai", url: "http://gpu2:8000/v1", makesCurrent: false)
      // So long a name leaves no room for that of the file that is written first.
      let path = directory.path + "/" + String(repeating: "s", count: 240)
      try FileManager.default.moveItem(atPath: good, toPath: path)
      servers = Servers(path)
      let (entries, current) = (servers.entries, servers.current)
      func requireUnchanged(_ change: (inout Servers) throws -> Void) {
        #expect(throws: Servers.Failure.self) { try change(&servers) }
        #expect(servers.entries == entries && servers.current == current)
      }
      requireUnchanged { try $0.remove("gpu1") }
      requireUnchanged { try $0.rename("gpu1", to: "other") }
      requireUnchanged { try $0.use("gpu2") }
      requireUnchanged { _ = try $0.add(kind: "openai", url: "http://gpu3:8000/v1") }
    }
  }

  @Test func `where nothing is written a broken list stays in its place`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      try AtomicFile.write(Array("{".utf8), to: path)
      var servers = Servers(path, writes: false)
      _ = try servers.add(kind: "k", url: "http://a")
      #expect(servers.problem == .broken(path: path, setAside: nil))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["servers.json"])
      #expect(try AtomicFile.read(path) == Array("{".utf8))
    }
  }

  @Test(arguments: [(Int.min, nil), (-1, nil), (0, 0), (Int.max, Int.max)] as [(Int, Int?)])
  func `a moment before 1970 is no moment`(_ written: Int, _ read: Int?) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      let list = #"{"version": 1, "servers": [{"name": "a", "kind": "k", "url": "u", "modelsListedAt": \#(written)}]}"#
      try AtomicFile.write(Array(list.utf8), to: path)
      let servers = Servers(path)
      #expect(servers.entries.count == 1)
      #expect(servers.current?.modelsListedAt == read)
    }
  }

  @Test func `one address is one entry however it is written`() throws {
    var servers = Servers(nil)
    let first = try servers.add(kind: "openai", url: "http://Host/v1")
    for url in ["http://host:80/v1/", "HTTP://HOST/v1//"] {
      #expect(try servers.add(kind: "openai", url: url).server.name == first.server.name)
    }
    #expect(servers.entries.count == 1)
    #expect(servers.at("http://HOST:80/v1/") == first)
    #expect(try servers.add(kind: "kamiwaza", url: "http://host/V1").server.name == "host-2")
    #expect(
      try servers.add(kind: "other", url: "http://host/v1", name: "lab").server
        == Server(name: "lab", kind: "other", url: "http://Host/v1"))
    #expect(servers.current?.server.name == "lab")
  }

  @Test(arguments: [
    ("https://kamiwaza.example.com", "kamiwaza"), ("https://api.openai.com/v1", "openai"),
    ("http://127.0.0.1:8080", "127.0.0.1"),
    ("http://[::1]:8080/v1", "::1"), ("ws://localhost:9/x", "localhost"), ("x", "x"), ("", "server"),
  ])
  func `a name comes from the host`(_ url: String, _ name: String) {
    #expect(Servers.name(for: url) == name)
  }

  @Test func `renaming, removing and using need a name that is there and free`() throws {
    var servers = Servers(nil)
    _ = try servers.add(kind: "k", url: "http://a")
    _ = try servers.add(kind: "k", url: "http://b")
    #expect(throws: Servers.Failure.nameTaken("a")) { try servers.rename("b", to: "a") }
    #expect(throws: Servers.Failure.nameTaken("a")) { try servers.add(kind: "k", url: "http://c", name: "a") }
    #expect(throws: Servers.Failure.noServer("z")) { try servers.use("z") }
    #expect(throws: Servers.Failure.emptyName) { try servers.rename("a", to: " ") }
    try servers.rename("b", to: "bee")
    #expect(servers.current?.server.name == "bee")
    try servers.remove("bee")
    #expect(servers.current?.server.name == "a")
    #expect(servers.entries.count == 1)
  }

  @Test func `two shells add to one list`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      try await withThrowingTaskGroup(of: Void.self) { group in
        for shell in 0..<4 {
          group.addTask {
            var servers = Servers(path)
            for number in 0..<10 { _ = try servers.add(kind: "k", url: "http://host:\(shell)\(number)") }
          }
        }
        try await group.waitForAll()
      }
      let servers = Servers(path)
      #expect(servers.entries.count == 40)
      #expect(Set(servers.entries.map(\.server.name)).count == 40)
    }
  }

  @Test func `a broken list is kept under another name by the next change`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      try AtomicFile.write(Array("{\"servers\": [".utf8), to: path)
      var servers = Servers(path)
      #expect(servers.problem == .broken(path: path, setAside: nil))
      #expect(servers.entries.isEmpty)
      _ = try servers.add(kind: "k", url: "http://a")
      guard case .broken(_, let aside?) = servers.problem else {
        Issue.record("not set aside")
        return
      }
      #expect(try AtomicFile.read(aside) == Array("{\"servers\": [".utf8))
      #expect(Servers(path).entries.count == 1)
      #expect(Servers(path).problem == nil)
    }
  }
}
