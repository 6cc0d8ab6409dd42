extension KnownServers.Entry {
  var address: KnownServers.Address { KnownServers.Address(host, port) }

  init(
    _ address: KnownServers.Address, _ trust: Trust, firstSeen: Int, lastSeen: Int, wasTrustedBySystem: Bool = false
  ) {
    self.init(
      host: address.host, port: address.port, trust: trust, firstSeen: firstSeen / 1000 * 1000,
      lastSeen: lastSeen / 1000 * 1000, wasTrustedBySystem: wasTrustedBySystem || trust == .system)
  }

  /// What follows on an older entry.
  init(_ address: KnownServers.Address, _ trust: Trust, after before: Self?, at moment: Int) {
    let first = before?.firstSeen ?? 0
    self.init(
      address, trust, firstSeen: first == 0 ? moment : first, lastSeen: moment,
      wasTrustedBySystem: before?.wasTrustedBySystem ?? false)
  }

  /// What is left of it when the person's part in it is forgotten.
  var whenForgotten: Self? {
    guard wasTrustedBySystem, trust != .system else { return nil }
    return Self(address, .system, firstSeen: firstSeen, lastSeen: lastSeen)
  }
}

extension KnownServers.Problem {
  func fileError(_ path: String) -> FileError {
    switch self {
    case .unreadable(let error): error
    case .line: .readOnlyFile(path: path)
    }
  }
}
