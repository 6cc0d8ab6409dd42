import Addresses
import Chat
import Store

/// The server in use and what is known of it.
struct Link {
  var server: Server
  var backend: any Backend
  /// What the next message asks; nil until it is known.
  var model: String?
  /// Whether the person chose the model for this run.
  var isModelChosen = false
  /// The model that the person chose for this server, now or in an earlier run.
  var chosenModel: String?
  /// The one that was asked last and is not there any more; nil once the person was told.
  var missedModel: String?
  /// Set if the user typed a key that the server has not checked: it is dropped if the first answer refuses it.
  var hasUncheckedKey = false
  /// Whether the server has refused a request in this run until the user signs in.
  var hasAskedForSignIn = false
  /// Whether the server is kept in the person's list.
  var isKept: Bool
  /// The last list the server gave, and when, in milliseconds since 1970.
  var models: [Model]
  var modelsFetchedAt: Int?
  /// Whether the server lists its models, as far as it was asked.
  var hasModelList: Bool
  /// Models that the user asks for although the list does not have them.
  var unlisted: Set<String> = []
  /// Models that may take images, as far as the server was asked: one that takes none is asked about again, for it may
  /// have been started anew.
  var mayTakeImages: Set<String> = []
  /// Whether the list has all that a server tells of its models, and may be kept.
  var isListWhole = true

  /// - Parameters:
  ///   - kept: what is known of the server from before; nil when it is not kept.
  ///   - moment: when `models` were listed, in milliseconds since 1970; nil when they were not.
  init(server: Server, backend: any Backend, like kept: Servers.Entry?, models: [Model], listedAt moment: Int?) {
    self.server = server
    self.backend = backend
    self.models = models
    modelsFetchedAt = moment
    isKept = kept != nil
    hasModelList = kept?.hasModelList ?? true || moment != nil
    if let kept, kept.isModelUnlisted, let model = kept.model { unlisted.insert(model) }
    chosenModel = kept?.isModelChosen == true ? kept?.model : nil
    model = chosenModel ?? models.first(of: kept?.model)
    missedModel = kept?.model == model ? nil : kept?.model
  }

  /// Whether a model of this name can be asked now, as far as is known.
  func canAsk(_ name: String) -> Bool { models.canAsk(name) || unlisted.contains(name) || !hasModelList }

  /// The server that an address names, as trust knows it; nil for what is no address of a server. The address of a
  /// socket is that of the server behind it.
  static func serverKey(of url: String) -> ServerKey? {
    let isSocket = ["ws:", "wss:"].contains { url.lowercased().hasPrefix($0) }
    // What is wrong with an address is reported where it is asked for an answer.
    return try? ServerKey.parse(isSocket ? "http" + url.dropFirst(2) : url).key
  }

  /// What a server that is not kept is called: its host and port.
  static func hostName(of url: String) -> String {
    let afterScheme = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    return String(afterScheme.prefix { !"/?#\\".contains($0) })
  }
}
