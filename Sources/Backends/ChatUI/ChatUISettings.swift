import Chat
import Wire

/// What a person has set on a server (docs/chatui.md 7).
struct ChatUISettings: RemoteSettings {
  let api: ChatUIAPI

  private static let path = "/api/v2/user/settings"

  func all() async throws(BackendError) -> JSON {
    let settings = try await api.get(ChatUISettings.path)
    guard let members = settings.object else { throw .malformed(address: api.address, detail: "no settings") }
    // What is not set is refused when it is sent back.
    return .object(members.filter { !$0.value.isNull })
  }

  func set(_ key: String, entry: String?, to value: JSON?) async throws(BackendError) {
    var settings = try await all()
    if let entry {
      var map = settings[key] ?? [:]
      map[entry] = value
      settings[key] = map
    } else {
      settings[key] = value
    }
    _ = try await api.post(ChatUISettings.path, settings)
  }
}
