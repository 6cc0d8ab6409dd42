import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Confined

/// A thread that puts a link out of the folder in the place of what is there, and takes it away again, for ever.
private final class Swapper: Sendable {
  private let isWanted = Atomic(true)
  let rounds = Atomic(0)
  private let ended = DispatchSemaphore(value: 0)

  init(_ path: String, with link: String) {
    Thread.detachNewThread { [self] in
      while isWanted.load(ordering: .relaxed) {
        rename(path, path + ".away")
        rename(link, path)
        rename(path, link)
        rename(path + ".away", path)
        rounds.add(1, ordering: .relaxed)
      }
      ended.signal()
    }
    while rounds.load(ordering: .relaxed) == 0 { sched_yield() }
  }

  func stop() {
    isWanted.store(false, ordering: .relaxed)
    ended.wait()
  }
}

@Suite(.ownThread) struct SwapRaceTests {
  /// What may come of a reading or writing that meets the thread; a file that was renamed meanwhile is a missing one.
  private let refusals: [ConfinedFailure] = [.outside, .link, .missing, .notAFolder]

  /// 10,000 tries in all, and as many without the kernel's help.
  @Test(arguments: ["dir/b.txt", "dir/../a.txt", "a.txt", "dir/deep/../b.txt"], [false, true])
  func `nothing outside is read while a folder or a file turns into a link`(
    _ path: String, _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      try grounds.put("canary", at: "outside/b.txt")
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      let swapper = Swapper(
        grounds.root + (path == "a.txt" ? "/a.txt" : "/dir"),
        with: grounds.root + (path == "a.txt" ? "/out" : "/out-folder"))
      var unexpected: [String] = []
      for _ in 0..<2_500 {
        do throws(ConfinedFailure) {
          let text = try folder.read(grounds.root + "/" + path)
          if text != "inside" { unexpected.append(text) }
        } catch {
          if !refusals.contains(error) { unexpected.append("\(error)") }
        }
      }
      swapper.stop()
      #expect(unexpected == [])
    }
  }

  @Test(arguments: ["dir/b.txt", "dir/made/x", "a.txt"], [false, true])
  func `nothing outside is written while a folder or a file turns into a link`(
    _ path: String, _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory(in: Self.memory) { directory in
      let grounds = try Grounds(in: directory)
      try grounds.put("canary", at: "outside/b.txt")
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      let surroundings = grounds.surroundings
      let swapper = Swapper(
        grounds.root + (path == "a.txt" ? "/a.txt" : "/dir"),
        with: grounds.root + (path == "a.txt" ? "/out" : "/out-folder"))
      var unexpected: [String] = []
      for _ in 0..<1_000 {
        let failure = failure { () throws(ConfinedFailure) in try folder.write(grounds.root + "/" + path, "written") }
        // While two names are exchanged the file system may count a file twice.
        if let failure, !(refusals + [.hardLinked]).contains(failure) { unexpected.append("\(failure)") }
      }
      swapper.stop()
      #expect(unexpected == [])
      #expect(grounds.surroundings == surroundings)
    }
  }

  /// Where syncing costs nothing, if there is such a place.
  private static let memory = URL(fileURLWithPath: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
}
