import Chat
import Foundation
import TestSupport
import Testing
import Wire

@testable import Store

private let forecast = Tool(
  name: "forecast", title: "Forecast", summary: "Tells the weather.",
  parameters: ["type": "object", "properties": ["days": ["type": "integer", "maximum": 7]]],
  hints: ToolHints(isReadOnly: true, isOpenWorld: false))

private let peer = ToolServer(
  id: "peer", name: "peer", address: .command(["python3", "peer.py", "--key=a b"], passing: ["PEER_KEY"]))
private let remote = ToolServer(id: "remote", name: "remote", address: .http(url: "https://tools.lan/mcp"))

private func mode(_ path: String) -> Int {
  var facts = stat()
  return stat(path, &facts) == 0 ? Int(facts.st_mode & 0o7777) : -1
}

private func write(_ text: String, to path: String) throws { try AtomicFile.write(Array(text.utf8), to: path) }

private func content(_ path: String) -> JSON? {
  (try? AtomicFile.read(path)).flatMap { try? JSON(parsing: $0) }  // none is nil
}

@Suite struct ToolServersTests {
  @Test func `servers of tools and what they listed survive`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/tools.json"
      var servers = ToolServers(path)
      #expect(servers.entries.isEmpty && servers.problem == nil)
      try servers.add(peer)
      try servers.add(remote)
      try servers.keep([forecast, Tool(name: "bare")], of: "remote")
      #expect(throws: ToolServers.Failure.nameTaken("peer")) { try servers.add(peer) }
      #expect(throws: ToolServers.Failure.noServer("x")) { try servers.remove("x") }
      #expect(throws: ToolServers.Failure.noServer("x")) { try servers.keep([], of: "x") }
      var again = ToolServers(path)
      #expect(again.entries == servers.entries)
      #expect(again.entries.map(\.server) == [peer, remote])
      #expect(again.named("remote")?.tools == [forecast, Tool(name: "bare")])
      #expect(mode(path) == 0o600)
      let early = again.refresh()
      try servers.remove("peer")
      let late = again.refresh()
      #expect(!early && late)
      #expect(again.entries.map(\.server) == [remote])
    }
  }

  @Test func `what is the program's own is in no file`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      var servers = ToolServers(path)
      try servers.add(peer)
      try servers.add(ToolServer(id: "terminals", name: "terminals", address: .terminals))
      #expect(ToolServers(path).entries.map(\.server) == [peer])
    }
  }

  @Test func `two shells add to the same list, and a private one to none`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      var (one, two) = (ToolServers(path), ToolServers(path))
      try one.add(peer)
      var hidden = ToolServers(path, writes: false)
      try two.add(remote)
      #expect(two.entries.map(\.server.name) == ["peer", "remote"])
      try hidden.add(ToolServer(id: "x", name: "x", address: .http(url: "http://x")))
      #expect(hidden.entries.map(\.server.name) == ["peer", "x"])
      #expect(ToolServers(path).entries == two.entries)
      var memory = ToolServers(nil)
      try memory.add(peer)
      #expect(memory.entries.map(\.server) == [peer])
    }
  }

  @Test func `a broken file is set aside by the next change, and one that others could write is not believed`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      for text in ["{", "[]", #"{"servers":[{"name":"a"}]}"#, #"{"servers":[{"name":"a","command":[]}]}"#] {
        try write(text, to: path)
        var servers = ToolServers(path)
        #expect(servers.entries.isEmpty)
        #expect(servers.problem == .broken(path: path, setAside: nil))
        try servers.add(peer)
        guard case .broken(_, .some(let aside)) = servers.problem else {
          Issue.record("not set aside: \(text)")
          continue
        }
        #expect(try AtomicFile.read(aside) == Array(text.utf8))
        #expect(ToolServers(path).entries == servers.entries)
      }
      chmod(path, 0o622)
      var unsafe = ToolServers(path)
      #expect(unsafe.entries.isEmpty)
      let exposure = Exposure(
        path: path, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(path)")
      #expect(unsafe.problem == .unsafe(exposure))
      #expect(throws: ToolServers.Failure.file(.exposed(exposure))) { try unsafe.add(remote) }
      chmod(path, 0o600)
      let isOther = unsafe.refresh()
      #expect(isOther)
      #expect(unsafe.entries.count == 1 && unsafe.problem == nil)
    }
  }

  @Test func `no tool makes the list unreadable, however deep its parameters are nested`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      var servers = ToolServers(path)
      try servers.add(remote)
      let tools = (115...126).map { Tool(name: "deep\($0)", parameters: ["type": "object", "x": nested($0)]) }
      try servers.keep([forecast] + tools, of: "remote")
      let again = ToolServers(path)
      #expect(again.problem == nil)
      let names = try #require(again.named("remote")?.tools.map(\.name))
      #expect(names.contains("forecast") && names.contains("deep115") && !names.contains("deep126"))
    }
  }

  @Test(arguments: [
    #"{"name":"a","command":[1,"ls"]}"#, #"{"name":"a","command":"ls"}"#, #"{"name":"a","command":[""]}"#,
    #"{"name":"a","command":["ls"],"passing":[1]}"#, #"{"name":"a","command":["ls"],"passing":"HOME"}"#,
    #"{"name":"a","url":1,"command":["ls"]}"#, #"{"name":"a","url":"file:///etc/passwd"}"#,
    #"{"name":"a\u001b[2J","url":"http://a"}"#, #"{"name":"","url":"http://a"}"#,
    #"{"name":"a","url":"http://a"},{"name":"a","url":"http://b"}"#,
  ])
  func `a list that this program could not have written is broken`(servers: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      try write(#"{"version":1,"servers":[\#(servers)]}"#, to: path)
      let read = ToolServers(path)
      #expect(read.entries.isEmpty)
      #expect(read.problem == .broken(path: path, setAside: nil))
    }
  }

  @Test func `a list of a later version is used, and said to be one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      try write(#"{"version":99,"servers":[{"name":"a","url":"http://a"}]}"#, to: path)
      let servers = ToolServers(path)
      #expect(servers.entries.map(\.server.name) == ["a"])
      #expect(servers.problem == .newer(path: path, version: 99))
    }
  }

  @Test func `what a later version wrote survives a change`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/tools.json"
      try write(
        #"{"version":3,"servers":[{"name":"a","url":"http://a","colour":"red"},{"name":"b","url":"http://b"}],"new":1}"#,
        to: path)
      var servers = ToolServers(path)
      try servers.keep([forecast], of: "a")
      try servers.remove("b")
      let json = try #require(content(path))
      #expect(json["version"] == 3)
      #expect(json["new"] == 1)
      #expect(json["servers"]?.array?.count == 1)
      #expect(json["servers"]?[0]?["colour"] == "red")
    }
  }
}

@Suite(.ownThread) struct PermissionsTests {
  private func entry(_ tool: String, _ digest: String = "d1", place: String = "https://a") -> Permissions.Entry {
    Permissions.Entry(place: place, server: "a", tool: tool, digest: digest, allowedAt: 7)
  }

  @Test func `permissions of a later version are not believed, and not written over`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/permissions.json"
      let text = #"{"version":99,"allowed":[{"place":"https://a","server":"a","tool":"add","digest":"d1"}]}"#
      try write(text, to: path)
      let permissions = Permissions(path)
      #expect(permissions.allows(place: "https://a", tool: "add", digest: "d1") == .none)
      #expect(permissions.problem == .newer(path: path, version: 99))
      #expect(throws: FileError.readOnlyFile(path: path)) { try permissions.allow(entry("add")) }
      #expect(try AtomicFile.read(path) == Array(text.utf8))
    }
  }

  @Test func `what is allowed is of one tool of one place, as it describes itself`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/permissions.json"
      let permissions = Permissions(path)
      #expect(permissions.allows(place: "https://a", tool: "add", digest: "d1") == .none)
      try permissions.allow(entry("add"))
      for shell in [permissions, Permissions(path)] {
        #expect(shell.allows(place: "https://a", tool: "add", digest: "d1") == .allowed(entry("add")))
        #expect(shell.allows(place: "https://a", tool: "add", digest: "d2") == .changed(entry("add")))
        #expect(shell.allows(place: "https://a", tool: "ad", digest: "d1") == .none)
        #expect(shell.allows(place: "https://b", tool: "add", digest: "d1") == .none)
        #expect(shell.entries == [entry("add")])
      }
      try permissions.allow(entry("add", "d2"))
      #expect(permissions.entries == [entry("add", "d2")])
      #expect(mode(path) == 0o600)
    }
  }

  @Test func `what one shell takes back counts at once in the other`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/permissions.json"
      let (one, two) = (Permissions(path), Permissions(path))
      for tool in ["a", "b", "c"] { try one.allow(entry(tool)) }
      try two.allow(entry("a", place: "https://b"))
      #expect(one.entries.count == 4)
      #expect(try two.revoke("b", of: "https://a") == [entry("b")])
      #expect(one.allows(place: "https://a", tool: "b", digest: "d1") == .none)
      #expect(try one.revoke("b", of: "https://a").isEmpty)
      #expect(try one.revoke(nil, of: "https://a").map(\.tool) == ["a", "c"])
      #expect(two.entries == [entry("a", place: "https://b")])
      #expect(try two.revoke(nil, of: "https://b").count == 1)
      #expect(one.entries.isEmpty)
    }
  }

  @Test func `two processes that allow at once lose nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/permissions.json"
      let process = Process()
      process.executableURL = probe
      process.arguments = ["allow", path]
      try process.run()
      let permissions = Permissions(path)
      for number in 0..<20 { try permissions.allow(entry("tool\(number)")) }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(permissions.entries.count == 40)
    }
  }

  @Test func `of a file that is broken, or that others could write, nothing is allowed`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/permissions.json"
      let permissions = Permissions(path)
      try permissions.allow(entry("add"))
      let good = try #require(try AtomicFile.read(path))
      for text in ["", "{", "{}", #"{"allowed":[{"place":"https://a","tool":"add"}]}"#] {
        try AtomicFile.write(good, to: path)
        #expect(permissions.entries.count == 1 && permissions.problem == nil)
        try write(text, to: path)
        #expect(permissions.allows(place: "https://a", tool: "add", digest: "d1") == .none)
        #expect(permissions.problem == .broken(path: path, setAside: nil))
      }
      try permissions.allow(entry("new"))
      #expect(permissions.entries == [entry("new")])
      guard case .broken(_, .some(let aside)) = permissions.problem else {
        Issue.record("not set aside")
        return
      }
      #expect(try AtomicFile.read(aside)?.isEmpty == false)
      chmod(path, 0o620)
      #expect(permissions.entries.isEmpty)
      let exposure = Exposure(
        path: path, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(path)")
      #expect(permissions.problem == .unsafe(exposure))
      #expect(throws: FileError.exposed(exposure)) { try permissions.allow(entry("x")) }
      chmod(path, 0o600)
      unlink(path)
      #expect(permissions.entries.isEmpty && permissions.problem == nil)
    }
  }

  @Test func `a link is not believed and not written through, and what a later version wrote stays`() async throws {
    try await withTemporaryDirectory { directory in
      let (path, real) = (directory.path + "/permissions.json", directory.path + "/real.json")
      let text = """
        {"version":4,"allowed":[{"place":"https://a","tool":"add","digest":"d1","server":"a","allowedAt":7,"colour":1}],
         "new":{"x":1}}
        """
      try write(text, to: real)
      for target in [real, directory.path + "/nowhere", directory.path] {
        #expect(symlink(target, path) == 0)
        let isDangling = target.hasSuffix("nowhere")
        let exposure = Exposure(
          path: path, reason: "a symbolic link",
          advice: isDangling ? nil : Exposure.readFirst,
          command: isDangling ? "rm \(path)" : "cp --remove-destination \(target) \(path)")
        let permissions = Permissions(path)
        #expect(permissions.entries.isEmpty)
        #expect(permissions.problem == .unsafe(exposure))
        #expect(throws: FileError.exposed(exposure)) { try permissions.allow(entry("x")) }
        var servers = ToolServers(path)
        #expect(servers.problem == .unsafe(exposure))
        #expect(throws: ToolServers.Failure.file(.exposed(exposure))) { try servers.add(peer) }
        unlink(path)
      }
      #expect(try AtomicFile.read(real) == Array(text.utf8))
      #expect(mkfifo(path, 0o600) == 0)
      #expect(
        Permissions(path).problem
          == .unsafe(Exposure(path: path, reason: "not a regular file", command: "mv \(path) \(path).old")))
      unlink(path)
      #expect(rename(real, path) == 0)
      // Of a later version it is neither believed nor written over: what it means may be less than it says here.
      let later = Permissions(path)
      #expect(later.entries.isEmpty)
      #expect(throws: FileError.readOnlyFile(path: path)) { try later.allow(entry("more")) }
      #expect(try AtomicFile.read(path) == Array(text.utf8))
      try write(text.replacing(#""version":4"#, with: #""version":1"#), to: path)
      let permissions = Permissions(path)
      try permissions.allow(entry("more"))
      #expect(permissions.entries == [entry("add"), entry("more")])
      let json = try #require(content(path))
      #expect(json["version"] == 1 && json["new"]?["x"] == 1)
      #expect(json["allowed"]?[0]?["colour"] == 1)
      #expect(mode(path) == 0o600)
    }
  }

  @Test func `a private run takes back and allows for itself alone, and still follows the file`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/permissions.json"
      let written = Permissions(path)
      for tool in ["a", "b"] { try written.allow(entry(tool)) }
      let hidden = Permissions(path, writes: false)
      try hidden.allow(entry("c"))
      try hidden.revoke("a", of: "https://a")
      #expect(hidden.entries == [entry("b"), entry("c")])
      #expect(written.entries == [entry("a"), entry("b")])
      try written.revoke("b", of: "https://a")
      #expect(hidden.entries == [entry("c")])
      try hidden.allow(entry("a", "d2"))
      #expect(hidden.allows(place: "https://a", tool: "a", digest: "d1") == .changed(entry("a", "d2")))
      try written.allow(entry("a", "d2"))
      try hidden.revoke("a", of: "https://a")
      try hidden.allow(entry("a", "d2"))
      #expect(hidden.allows(place: "https://a", tool: "a", digest: "d2") == .allowed(entry("a", "d2")))
      #expect(try hidden.revoke(nil, of: "https://a").count == 2)
      #expect(hidden.entries.isEmpty)
      let memory = Permissions(nil)
      try memory.allow(entry("a"))
      #expect(memory.allows(place: "https://a", tool: "a", digest: "d1") == .allowed(entry("a")))
    }
  }
}

@Suite struct ToolDigestTests {
  @Test func `whatever a tool says of itself is in its digest`() throws {
    let digest = ToolDigest.of(forecast)
    #expect(digest.count == 64)
    var others = [Tool](repeating: forecast, count: 9)
    others[0].name = "Forecast"
    others[1].title = nil
    others[2].summary += " "
    others[3].parameters["properties"] = ["days": ["type": "integer", "maximum": 8]]
    others[4].hints.isReadOnly = nil
    others[5].hints.isDestructive = false
    others[6].hints.isOpenWorld = true
    others[7].rest = ["outputSchema": ["type": "object"]]
    others[8].rest = ["_meta": ["lab/runs-as": "root"]]
    #expect(Set(others.map(ToolDigest.of) + [digest]).count == 10)
  }

  @Test func `what was allowed before the rest of a listing counted stays allowed`() {
    let before = Tool(name: "add", title: "Add", summary: "Adds.", hints: ToolHints(isReadOnly: true))
    #expect(ToolDigest.of(before) == "45eed44bf6c04b69453bd12bc3fa00e633761ea443bbfa41ca8d76b4b9a90457")
  }

  @Test func `every digit of a fraction is in its digest`() throws {
    let limits = ["7", "7.00000000000000000001", "7.00000000000000000002", "0.1", "0.10000000000000000001"]
    let digests = try limits.map { limit in
      var other = forecast
      other.parameters["maximum"] = try JSON(parsing: limit)
      return ToolDigest.of(other)
    }
    #expect(Set(digests).count == limits.count)
  }

  @Test func `how it is written down is not`() throws {
    var other = forecast
    other.parameters = try JSON(
      parsing: #"{ "properties": {"days": {"maximum": 7.0, "type": "integer"}}, "type": "object" }"#)
    #expect(ToolDigest.of(other) == ToolDigest.of(forecast))
    #expect(sha256(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

@Suite struct WireNotesTests {
  @Test func `what is remembered of a place is there for the next run, and of no other place`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/cache/tools"
      let memory = WireNotes(folder)
      #expect(memory.memory(of: "https://a/mcp") == nil)
      memory.remember("modern http", of: "https://a/mcp")
      memory.remember("legacy", of: "python3 peer.py --key=secret")
      #expect(WireNotes(folder).memory(of: "https://a/mcp") == "modern http")
      #expect(memory.memory(of: "https://a") == nil)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(names.count == 2 && names.allSatisfy { mode(folder + "/" + $0) == 0o600 })
      for name in names {
        #expect(try !String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8).contains("secret"))
      }
      // What others could have written is not believed: it says where and how a server is spoken with.
      let notes = names.map { "\(folder)/\($0)" }
      for note in notes { chmod(note, 0o666) }
      #expect(memory.memory(of: "https://a/mcp") == nil)
      for note in notes {
        chmod(note, 0o600)
        rename(note, note + ".real")
        symlink(note + ".real", note)
      }
      #expect(memory.memory(of: "https://a/mcp") == nil)
      for note in notes { rename(note + ".real", note) }
      #expect(memory.memory(of: "https://a/mcp") == "modern http")
      memory.forget("https://a/mcp")
      #expect(memory.memory(of: "https://a/mcp") == nil)
      let hidden = WireNotes(folder, writes: false)
      hidden.remember("x", of: "https://b")
      #expect(hidden.memory(of: "https://b") == nil)
      WireNotes("/proc/nowhere").remember("x", of: "https://b")
    }
  }
}
