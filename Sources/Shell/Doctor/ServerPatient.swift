import Chat
import Store

extension ServerCheckup {
  /// A kept server, or an address that was typed.
  enum Patient {
    case kept(Servers.Entry)
    case connected(Link)
    case address(String)
  }
}

extension ServerCheckup.Patient {
  /// Its name; the address where that is all there is.
  var name: String {
    switch self {
    case .kept(let entry): entry.server.name
    case .connected(let link): link.server.name
    case .address(let address): address
    }
  }

  var isKept: Bool {
    switch self {
    case .kept: true
    case .connected(let link): link.isKept
    case .address: false
    }
  }

  /// Whether a command such as `/login` goes to this server.
  func isInUse(_ links: Links) -> Bool {
    switch self {
    case .connected: true
    case .kept(let entry): (links.front?.server.url ?? links.kept.current?.server.url) == entry.server.url
    case .address: false
    }
  }

  /// The server that is named, or the one in use; nil where there is none.
  static func named(_ word: String?, _ links: Links, _ desk: Desk) throws(ShellError) -> ServerCheckup.Patient? {
    if word == nil, let link = links.front { return .connected(link) }
    guard let name = word ?? desk.options.server ?? desk.world.environment.serverAddress else {
      return links.kept.current.map { .kept($0) }
    }
    if let exact = links.kept.named(name) ?? links.kept.at(name) { return .kept(exact) }
    if name.contains(where: { ".:/".contains($0) }) { return .address(name) }
    return .kept(try links.kept.required(name))
  }
}
