package import Store

extension Preferences {
  /// The person's settings with those of this run on top.
  package init(_ path: String, _ options: Options) throws(SettingError) {
    self.init(path, writes: !options.private)
    for pair in options.settings {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else {
        throw .badValue(key: "--set", value: pair, accepted: "KEY=VALUE, such as temperature=0.4")
      }
      try overlay(parts[0], parts[1], from: .commandLine)
    }
    if let temperature = options.temperature { try overlay("temperature", temperature, from: .commandLine) }
  }
}
