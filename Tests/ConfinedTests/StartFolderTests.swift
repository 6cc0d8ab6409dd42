import Foundation
import TestSupport
import Testing

@testable import Confined

/// Folders in which programs are started that somebody else names.
@Suite struct StartFolderTests {
  @Test func `a link is shown as what it leads to, and our own folders are for nobody`() async throws {
    try await withTemporaryDirectory { directory in
      let manager = FileManager.default
      let real = (directory.path as NSString).resolvingSymlinksInPath
      for name in ["work", "own", "own/below"] {
        try manager.createDirectory(atPath: "\(real)/\(name)", withIntermediateDirectories: false)
      }
      for (link, place) in [("to-work", "work"), ("to-own", "own")] {
        try manager.createSymbolicLink(atPath: "\(real)/\(link)", withDestinationPath: "\(real)/\(place)")
      }
      let own = ["\(real)/own"]
      #expect(try StartFolder("\(real)/to-work/../work/.", ownFolders: own).path == "\(real)/work")
      for path in ["own", "own/below", "to-own", "to-own/below", "work/../own"] {
        #expect(throws: ConfinedFailure.own) { try StartFolder("\(real)/\(path)", ownFolders: own) }
      }
      #expect(throws: ConfinedFailure.malformed) { try StartFolder("\(real)/work\0/x") }
      #expect(throws: ConfinedFailure.missing) { try StartFolder("\(real)/none") }
      #expect(throws: ConfinedFailure.notAbsolute) { try StartFolder("work") }
    }
  }

  @Test func `one that was put in its place is another one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = (directory.path as NSString).resolvingSymlinksInPath + "/work"
      let manager = FileManager.default
      try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
      let start = try StartFolder(path)
      #expect(start.isInPlace)
      try manager.moveItem(atPath: path, toPath: path + "-old")
      #expect(!start.isInPlace)
      try manager.createSymbolicLink(atPath: path, withDestinationPath: path + "-old")
      #expect(!start.isInPlace)
      try manager.removeItem(atPath: path)
      try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
      #expect(!start.isInPlace)
    }
  }
}
