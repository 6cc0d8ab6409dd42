import Chat
import Foundation
import TestSupport
import Testing
import Wire

@testable import Store

private let now = 1_795_690_908_000

private func content(_ path: String) -> JSON? {
  (try? AtomicFile.read(path)).flatMap { try? JSON(parsing: $0) }  // none is nil
}

private func write(_ text: String, to path: String) throws { try AtomicFile.write(Array(text.utf8), to: path) }

private func opened(_ path: String?, writes: Bool = true) -> Snippets {
  var snippets = Snippets(path, writes: writes)
  snippets.refresh()
  return snippets
}

@Suite struct SnippetsTests {
  @Test func `snippets survive, in the order that they were given`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/snippets.json"
      var snippets = opened(path)
      #expect(snippets.entries.isEmpty && snippets.problem == nil)
      let one = Snippet(
        name: "one", text: "a\n${b}\u{1B}[2J", kind: .shell, category: "c", color: "#007AFF", icon: "🦜",
        isActive: false,
        createdAt: now + 1, usageCount: 3, lastUsedAt: now + 2, isForeign: true, rest: [.init("id", "x")])
      try snippets.add(one)
      try snippets.add(Snippet(name: "two", text: "2"))
      try snippets.add(Snippet(name: "three", text: "3"))
      #expect(opened(path).entries == snippets.entries)
      #expect(opened(path).named("one") == one)
      var places = [try snippets.move("three", to: 1)]
      places += [try snippets.move("one", to: 99), try snippets.move("one", to: -7)]
      #expect(places == [1, 3, 1])
      #expect(opened(path).entries.map(\.name) == ["one", "three", "two"])
      try snippets.noteUse(of: "two", at: now)
      try snippets.edit("two") { $0.color = "red" }
      try snippets.rename("two", to: "zwei")
      try snippets.rename("zwei", to: "zwei")
      #expect(
        opened(path).named("zwei") == Snippet(name: "zwei", text: "2", color: "red", usageCount: 1, lastUsedAt: now))
      try snippets.remove("three")
      #expect(opened(path).entries.map(\.name) == ["one", "zwei"])
      #expect(throws: Snippets.Failure.nameTaken("one")) { try snippets.add(one) }
      #expect(throws: Snippets.Failure.nameTaken("one")) { try snippets.rename("zwei", to: "one") }
      #expect(throws: Snippets.Failure.noSnippet("x")) { try snippets.remove("x") }
      for name in ["", " a", "a ", "-a", "a\nb", "a\u{1B}b", "a\u{202E}b", String(repeating: "a", count: 81)] {
        #expect(throws: Snippets.Failure.badName(name)) { try snippets.add(Snippet(name: name, text: "x")) }
      }
      var facts = stat()
      #expect(stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    }
  }

  @Test func `two shells change the same list, and a private one changes none`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/snippets.json"
      var (one, two) = (opened(path), opened(path))
      try one.add(Snippet(name: "one", text: "1"))
      var hidden = opened(path, writes: false)
      try two.add(Snippet(name: "two", text: "2"))
      try one.noteUse(of: "two", at: now)
      try two.edit("one") { $0.text = "eins" }
      #expect(two.entries.map(\.name) == ["one", "two"])
      #expect(two.named("two")?.usageCount == 1)
      try hidden.add(Snippet(name: "hidden", text: "x"))
      try hidden.noteUse(of: "one", at: now)
      hidden.refresh()
      #expect(hidden.entries.map(\.name) == ["one", "hidden"] && hidden.named("one")?.usageCount == 1)
      let seen = one.refresh()
      let again = one.refresh()
      #expect(seen && !again && one.entries == two.entries)
      #expect(opened(path).entries == two.entries)
      var memory = Snippets(nil)
      try memory.add(Snippet(name: "one", text: "1"))
      #expect(memory.entries.count == 1)
      // Without a look before, what is there counts too.
      var blind = Snippets(path, writes: false)
      #expect(throws: Snippets.Failure.nameTaken("one")) { try blind.add(Snippet(name: "one", text: "1")) }
    }
  }

  @Test func `a broken file is set aside by the next change, and one that others could write is not believed`()
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/snippets.json"
      for text in [
        "{", "[]", "{}", #"{"snippets":{}}"#, #"{"snippets":[{"name":"a"}]}"#, #"{"snippets":[{"command":"a"}]}"#,
        #"{"snippets":["a"]}"#,
      ] {
        try write(text, to: path)
        var snippets = opened(path)
        #expect(snippets.entries.isEmpty)
        #expect(snippets.problem == .broken(path: path, setAside: nil), "\(text)")
        try snippets.add(Snippet(name: "one", text: "1"))
        guard case .broken(_, .some(let aside)) = snippets.problem else {
          Issue.record("not set aside: \(text)")
          continue
        }
        #expect(try AtomicFile.read(aside) == Array(text.utf8))
        #expect(opened(path).entries == snippets.entries)
      }
      chmod(path, 0o622)
      var unsafe = opened(path)
      let exposure = Exposure(
        path: path, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(path)")
      #expect(unsafe.entries.isEmpty && unsafe.problem == .unsafe(exposure))
      #expect(throws: Snippets.Failure.file(.exposed(exposure))) {
        try unsafe.add(Snippet(name: "two", text: "2"))
      }
      chmod(path, 0o600)
      let isOther = unsafe.refresh()
      #expect(isOther && unsafe.entries.count == 1 && unsafe.problem == nil)
    }
  }

  @Test func `what a later version wrote is used and survives a change`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/snippets.json"
      try write(
        #"{"version":9,"new":[1],"categories":[{"name":"c","mood":7}],"snippets":[{"name":"a","command":"x","#
          + #""kind":"terminal","later":{"a":[null]},"createdAt":"soon","isActive":"often"},{"name":"b","command":"y"}]}"#,
        to: path)
      var snippets = opened(path)
      #expect(snippets.problem == .newer(path: path, version: 9))
      try snippets.noteUse(of: "a", at: now)
      try snippets.remove("b")
      let json = try #require(content(path))
      #expect(json["version"] == 9 && json["new"] == [1])
      #expect(json["categories"] == [["name": "c", "mood": 7]])
      let kept = try #require(json["snippets"]?[0])
      #expect(kept["kind"] == "terminal" && kept["later"] == ["a": [.null]] && kept["createdAt"] == "soon")
      #expect(kept["usageCount"] == 1 && json["snippets"]?.array?.count == 1)
    }
  }

  @Test func `no member makes the list unreadable, however deep it is nested`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/snippets.json"
      var snippets = opened(path)
      let members = (118...126).map { depth in
        "\"d\(depth)\":" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      }
      // As deep as can be read at all where the list is bare.
      for member in members {
        guard let json = try? JSON(parsing: #"[{"name":"\#(member.prefix(5).dropFirst())","command":"x",\#(member)}]"#),
          let document = SnippetDocument(json, now: now)
        else { continue }
        _ = try snippets.take(document, onClash: .skip)
        #expect(opened(path).problem == nil)
      }
      #expect(opened(path).entries.count >= 8)
      #expect(opened(path).entries.first?.rest.count == 1)
    }
  }

  @Test func `a thousand are read and found`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/snippets.json"
      var snippets = opened(path)
      let many = (1...1000).map { Snippet(name: "snippet \($0)", text: "text \($0)", usageCount: $0) }
      let taken = try snippets.take(SnippetDocument(snippets: many), onClash: .skip)
      #expect(taken.added.count == 1000)
      #expect(opened(path).named("snippet 777")?.usageCount == 777)
    }
  }
}
