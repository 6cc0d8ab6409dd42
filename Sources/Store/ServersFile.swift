import Chat
import Foundation
import Glibc

/// The file of `Servers`.
struct ServersFile {
  let path: String

  enum Content {
    case list(List)
    case broken(path: String)
  }

  struct List: Codable, Equatable {
    var version: Int
    var current: String?
    var servers: [Item]
  }

  struct Item: Codable, Equatable {
    var name: String
    var kind: String
    var url: String
    var model: String?
    var models: [Listed]?
    var modelsListedAt: Int?

    struct Listed: Codable, Equatable {
      var id: String
      var contextWindow: Int?
      var state: String?
    }
  }

  init(_ path: String) { self.path = path }

  func lock() throws(FileError) -> FileLock {
    try AtomicFile.makeDirectory(Store.directory(of: path))
    return try FileLock(path + ".lock", .exclusive)
  }

  func read() throws(FileError) -> Content {
    guard let bytes = try AtomicFile.read(path) else { return .list(List(version: 1, current: nil, servers: [])) }
    guard let list = try? JSONDecoder().decode(List.self, from: Data(bytes)) else { return .broken(path: path) }
    return .list(list)
  }

  func write(_ list: List) throws(FileError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(list) else {  // texts and numbers can always be written
      throw .failed(path: path, operation: "encode", code: EINVAL)
    }
    try AtomicFile.write(Array(data) + [UInt8(ascii: "\n")], to: path)
  }

  func setAside() throws(FileError) -> String {
    let aside = AsideName.free(for: path, "broken", at: History.systemTime())
    guard rename(path, aside) == 0 else { throw .inDirectory(Store.directory(of: path), "rename", errno) }
    return aside
  }
}

extension ServersFile.Item {
  init(_ entry: Servers.Entry) {
    let models = entry.models.map { Listed(id: $0.id, contextWindow: $0.contextWindow, state: $0.state) }
    self.init(
      name: entry.server.name, kind: entry.server.kind, url: entry.server.url, model: entry.model,
      models: models.isEmpty ? nil : models, modelsListedAt: entry.modelsListedAt)
  }
}

extension Servers.Entry {
  init(_ item: ServersFile.Item) {
    self.init(
      server: Server(name: item.name, kind: item.kind, url: item.url), model: item.model,
      models: (item.models ?? []).map { Model(id: $0.id, contextWindow: $0.contextWindow, state: $0.state) },
      // A moment before 1970 is none, and an age reckoned from it could overflow.
      modelsListedAt: item.modelsListedAt.flatMap { $0 >= 0 ? $0 : nil })
  }
}
