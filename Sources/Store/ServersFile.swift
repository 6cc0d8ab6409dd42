import Chat
import Foundation
import Glibc
import Wire

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
    /// nil is no: an earlier version did not tell a choice from what was asked last.
    var isModelChosen: Bool?
    /// nil is no.
    var isModelUnlisted: Bool?
    /// nil is yes.
    var hasModelList: Bool?
    var models: [Listed]?
    var modelsListedAt: Int?
    var allowedOrigins: [String]?
    var bridge: Bridge?
    var gateway: Gateway?

    struct Gateway: Codable, Equatable {
      var project: String?
      var tools: Tools?

      struct Tools: Codable, Equatable {
        var servers: [String]
        var tools: [String]
        var priority: [String]
        var isAudited: Bool
      }
    }

    struct Bridge: Codable, Equatable {
      var agent: String
      var folder: String?
    }

    struct Listed: Codable, Equatable {
      var id: String
      var contextWindow: Int?
      var state: String?
      /// nil is yes.
      var isReady: Bool?
      /// nil is yes.
      var isForChat: Bool?
      var note: String?
      var deployment: String?
    }
  }

  init(_ path: String) { self.path = path }

  func lock() throws(FileError) -> FileLock { try StateFile(path).lock() }

  func read() throws(FileError) -> Content {
    guard let bytes = try PrivateFile.read(path) else { return .list(List(version: 1, current: nil, servers: [])) }
    guard let list = try? JSONDecoder().decode(List.self, from: Data(bytes.withoutByteOrderMark)) else {
      return .broken(path: path)
    }
    return .list(list)
  }

  func write(_ list: List) throws(FileError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(list) else {  // texts and numbers can always be written
      throw .failed(path: path, operation: "encode", code: EINVAL)
    }
    let kept = try PrivateFile.read(path).flatMap { try? JSON(parsing: $0) }  // a broken file has nothing to keep
    let bytes = kept.flatMap { kept in (try? JSON(parsing: Array(data)))?.keeping(unknownOf: kept).bytes(pretty: true) }
    try AtomicFile.write((bytes ?? Array(data)) + [UInt8(ascii: "\n")], to: path)
  }

  func setAside() throws(FileError) -> String { try StateFile(path).setAside() }
}

extension ServersFile.Item {
  init(_ entry: Servers.Entry) {
    let models = entry.models.map(Listed.init)
    let origins = entry.server.allowedOrigins
    self.init(
      name: entry.server.name, kind: entry.server.kind, url: entry.server.url, model: entry.model,
      isModelChosen: entry.isModelChosen ? true : nil, isModelUnlisted: entry.isModelUnlisted ? true : nil,
      hasModelList: entry.hasModelList ? nil : false, models: models.isEmpty ? nil : models,
      modelsListedAt: entry.modelsListedAt,
      allowedOrigins: origins.isEmpty ? nil : origins,
      bridge: entry.server.bridge.map { Bridge(agent: $0.id, folder: $0.folder) },
      gateway: entry.server.gateway.map(Gateway.init))
  }
}

extension ServersFile.Item.Listed {
  init(_ model: Model) {
    self.init(
      id: model.id, contextWindow: model.contextWindow, state: model.state, isReady: model.isReady ? nil : false,
      isForChat: model.isForChat ? nil : false, note: model.note, deployment: model.deployment)
  }

  var model: Model {
    Model(
      id: id, contextWindow: contextWindow, state: state, isReady: isReady ?? true, isForChat: isForChat ?? true,
      note: note, deployment: deployment)
  }
}

extension ServersFile.Item.Gateway {
  init(_ choice: GatewayChoice) {
    project = choice.project
    tools = choice.tools.map {
      Tools(servers: $0.servers, tools: $0.tools, priority: $0.priority, isAudited: $0.isAudited)
    }
  }

  var choice: GatewayChoice {
    GatewayChoice(
      project: project,
      tools: tools.map {
        RemoteToolChoice(servers: $0.servers, tools: $0.tools, priority: $0.priority, isAudited: $0.isAudited)
      })
  }
}

extension JSON {
  /// This list of servers with what a later version of this program wrote into `older`: keys that this one does not
  /// know, of the list and of each server that is still at its address.
  fileprivate func keeping(unknownOf older: JSON) -> JSON {
    var list = adding(older, except: ["current", "servers"])
    if let version = older["version"]?.int, version > list["version"]?.int ?? 0 { list["version"] = .int(version) }
    let servers = (self["servers"]?.array ?? []).map { server in
      let same = older["servers"]?.array?.first { $0["url"] == server["url"] }
      return same.map { server.adding($0, except: ServersFile.Item.keys) } ?? server
    }
    list["servers"] = .array(servers)
    return list
  }
}

extension ServersFile.Item {
  fileprivate static let keys: Set<String> = [
    "name", "kind", "url", "model", "isModelChosen", "isModelUnlisted", "hasModelList", "models", "modelsListedAt",
    "allowedOrigins", "bridge",
    "gateway",
  ]
}

extension Servers.Entry {
  init(_ item: ServersFile.Item) {
    self.init(
      server: Server(
        name: item.name, kind: item.kind, url: item.url, allowedOrigins: item.allowedOrigins ?? [],
        bridge: item.bridge.map { BridgedAgent(id: $0.agent, folder: $0.folder) }, gateway: item.gateway?.choice),
      model: item.model, isModelChosen: item.isModelChosen ?? false,
      isModelUnlisted: item.isModelUnlisted ?? false, hasModelList: item.hasModelList ?? true,
      models: (item.models ?? []).map(\.model),
      // A moment before 1970 is none, and an age reckoned from it could overflow.
      modelsListedAt: item.modelsListedAt.flatMap { $0 >= 0 ? $0 : nil })
  }
}
