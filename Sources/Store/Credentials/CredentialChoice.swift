import Chat

/// Where the person wants sign-ins to be kept: the setting `credential-store` (docs/rules.md C1).
package enum CredentialChoice: Sendable, Equatable {
  /// The desktop's keyring when it answers, else the file.
  case auto
  case keyring
  /// The program `docker-credential-NAME`.
  case helper(String)
  case file

  /// nil for what the setting does not take.
  package init?(_ text: String) {
    switch text {
    case "auto": self = .auto
    case "keyring": self = .keyring
    case "file": self = .file
    default:
      guard text.hasPrefix("helper:"), text.count > 7, !text.contains("/") else { return nil }
      self = .helper(String(text.dropFirst(7)))
    }
  }
}

/// What keeps a sign-in, as the index of the file names it.
enum Keeper: Hashable {
  case file
  case secretTool
  case helper(String)

  /// The docker helper for the same service that `secret-tool` speaks to.
  static let secretService = Keeper.helper("secretservice")

  init?(_ text: String) {
    switch text {
    case "file": self = .file
    case "secret-tool": self = .secretTool
    default:
      guard case .helper(let name) = CredentialChoice(text) else { return nil }
      self = .helper(name)
    }
  }

  var text: String {
    switch self {
    case .file: "file"
    case .secretTool: "secret-tool"
    case .helper(let name): "helper:" + name
    }
  }

  /// nil for the file.
  var program: String? {
    switch self {
    case .file: nil
    case .secretTool: "secret-tool"
    case .helper(let name): "docker-credential-" + name
    }
  }
}

extension Keeper {
  /// What is told of where it keeps a sign-in. - Parameter file: the path of the file.
  func place(_ file: String, _ choice: CredentialChoice) -> CredentialPlace {
    switch self {
    case .file: .file(file)
    case .secretTool: .keyring
    case .helper(let name): self == .secretService && choice != .helper(name) ? .keyring : .helper(name)
    }
  }
}
