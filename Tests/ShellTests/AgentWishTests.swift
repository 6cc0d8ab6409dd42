import Chat
import Testing
import Wire

@testable import Shell

@Suite struct AgentWishTests {
  private let agent = Server(name: "peer", kind: "acp", url: "acp:peer")

  private func wish(_ act: AgentAct, in folder: String? = "/home/ada") -> AgentWish {
    AgentWish(act, of: agent, in: folder)
  }

  private func wish(_ activity: Activity, in folder: String? = "/home/ada") -> AgentWish {
    AgentWish(activity, of: agent, in: folder)
  }

  private func run(_ words: [String], isShellLine: Bool = false, set: [AgentCommand.Variable] = []) -> AgentAct {
    .run(AgentCommand(words: words, isShellLine: isShellLine, folder: "/home/ada", variables: set))
  }

  @Test func `the same, shown again, is the same wish`() {
    let change = FileChange(path: "/a", old: "one\n", new: "two\n")
    #expect(wish(.write(change, why: nil)).digest == wish(.write(change, why: nil)).digest)
    #expect(wish(run(["make", "test"])).digest == wish(run(["make", "test"])).digest)
  }

  @Test func `a write is bound to what was there and what takes its place`() {
    let digest = wish(.write(FileChange(path: "/a", old: "one\n", new: "two\n"), why: nil)).digest
    for other in [
      FileChange(path: "/a", old: "one\n", new: "three\n"), FileChange(path: "/a", old: "zero\n", new: "two\n"),
      FileChange(path: "/a", old: nil, new: "two\n"), FileChange(path: "/b", old: "one\n", new: "two\n"),
    ] { #expect(wish(.write(other, why: nil)).digest != digest) }
    let made = FileChange(path: "/a", old: nil, new: "two\n")
    let unseen = FileChange(path: "/a", old: nil, new: "two\n", replacesUnseen: true)
    #expect(wish(.write(made, why: nil)).digest != wish(.write(unseen, why: nil)).digest)
  }

  @Test func `a command is bound to its words, its folder and its variables`() {
    let digest = wish(run(["make", "test"])).digest
    #expect(wish(run(["make test"])).digest != digest)
    #expect(wish(run(["make", "test"], set: [.init(name: "V", value: "1")])).digest != digest)
    #expect(wish(run(["make", "test"]), in: "/tmp").digest != digest)
  }

  @Test func `a permission is bound to its input, its changes and the folder`() {
    let activity = Activity(id: "1", title: "Write", kind: "edit", input: ["path": "a"])
    let digest = wish(activity).digest
    #expect(wish(Activity(id: "2", title: "Write", kind: "edit", input: ["path": "a"])).digest == digest)
    #expect(wish(Activity(id: "1", title: "Write", kind: "edit", input: ["path": "b"])).digest != digest)
    #expect(wish(activity, in: "/tmp").digest != digest)
    var changed = activity
    changed.content = [.diff(FileChange(path: "/a", old: nil, new: "x"))]
    #expect(wish(changed).digest != digest)
  }

  @Test func `only what says what will happen can be remembered`() {
    let change = FileChange(path: "/a", old: nil, new: "x")
    #expect(wish(.write(change, why: nil)).isConcrete)
    #expect(wish(run(["make"])).isConcrete)
    #expect(!wish(run(["sh", "-c", "make"], isShellLine: true)).isConcrete)
    #expect(!wish(.write(change, why: .outside)).isConcrete)
    #expect(!wish(.read(path: "/a", why: .protected)).isConcrete)
    #expect(!wish(run(["make"]), in: nil).isConcrete)
    #expect(!wish(Activity(id: "1", title: "Do it", input: [:])).isConcrete)
    #expect(wish(Activity(id: "1", input: ["path": "a"])).isConcrete)
    #expect(wish(Activity(id: "1", content: [.diff(change)])).isConcrete)
    #expect(wish(Activity(id: "1", content: [.block(.text("rm -r build"))])).isConcrete)
  }

  @Test func `the prompt offers no more than there is`() {
    #expect(PermissionPage.prompt(.init(mayKeep: false), canView: false).string == "allow? [y]es, [N]o ")
    let options = [PermissionOption(id: "1", name: "No", kind: .rejectAlways)]
    let ways = PermissionPage.Ways(mayAllow: false, mayKeep: false, options: options)
    #expect(PermissionPage.prompt(ways, canView: false).string == "allow? 1, [N]o ")
    #expect(PermissionPage.reminder(ways, canView: false).string == "a number or n")
  }
}
