package import Chat

/// The settings by type, for the rest of the program.
extension Preferences {
  package var systemPrompt: String? { word("system-prompt") }

  /// For the next message.
  package var sampling: Sampling {
    Sampling(
      temperature: number("temperature"), topP: number("top-p"), maxTokens: integer("max-tokens"),
      seed: integer("seed"), stop: list("stop"))
  }

  /// Whether the user set no temperature.
  package var hasDefaultTemperature: Bool { origin(of: "temperature") == .standard }

  package var timeouts: Timeouts {
    let standard = Timeouts()
    return Timeouts(
      connect: number("timeout.connect") ?? standard.connect, request: number("timeout.request") ?? standard.request,
      firstToken: number("timeout.first-token"), idle: number("timeout.idle"),
      tool: number("timeout.tool") ?? standard.tool,
      toolStart: number("timeout.tool-start") ?? standard.toolStart)
  }

  /// Where sign-ins are kept.
  package var credentialChoice: CredentialChoice { word("credential-store").flatMap(CredentialChoice.init) ?? .auto }

  package func number(_ key: String) -> Double? {
    switch self[key] {
    case .number(let number): number
    case .integer(let integer): Double(integer)
    default: nil
    }
  }

  package func integer(_ key: String) -> Int? { if case .integer(let integer) = self[key] { integer } else { nil } }

  /// A text or a choice.
  package func word(_ key: String) -> String? { if case .text(let text) = self[key] { text } else { nil } }

  package func flag(_ key: String) -> Bool { self[key] == .flag(true) }

  package func list(_ key: String) -> [String] { if case .list(let words) = self[key] { words } else { [] } }
}
