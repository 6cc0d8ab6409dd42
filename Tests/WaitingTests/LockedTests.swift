import Testing

@testable import Waiting

@Suite struct LockedTests {
  @Test func `no change is lost when many make them`() async {
    let count = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
      }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test func `a change that fails lets the next one in`() {
    struct Refusal: Error {}
    let words = Locked(["a"])
    #expect(throws: Refusal.self) {
      try words.withLock { words throws(Refusal) in
        words.append("b")
        throw Refusal()
      }
    }
    #expect(words.withLock { $0 } == ["a", "b"])
  }
}
