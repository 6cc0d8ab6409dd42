import Glibc

/// The group that many systems make for one user alone. What it can write, only that user can write; ssh of Debian and
/// Fedora judges in the same way. Root has none here.
enum PrivateGroup {
  /// A user as the system's databases list it.
  struct User {
    var name: String
    var id: uid_t
    /// The user's primary group.
    var group: gid_t
  }

  /// The private group of the user who runs this process; nil if the user's primary group has other members.
  static let ofUser: gid_t? = find()

  /// Whether a user's primary group has no other member.
  /// - Parameters:
  ///   - members: those whom the database of groups names.
  ///   - users: all users that the system lists.
  static func isPrivate(to user: User, members: [String], users: [User]) -> Bool {
    members.allSatisfy { $0 == user.name } && users.allSatisfy { $0.id == user.id || $0.group != user.group }
  }

  private static func find() -> gid_t? {
    guard geteuid() != 0, let user = getpwuid(geteuid()).map({ User($0.pointee) }) else { return nil }
    guard let group = getgrgid(user.group) else { return nil }
    var members: [String] = []
    var member = group.pointee.gr_mem
    while let name = member?.pointee {
      members.append(String(cString: name))
      member = member?.advanced(by: 1)
    }
    var users: [User] = []
    setpwent()
    while let entry = getpwent() { users.append(User(entry.pointee)) }
    endpwent()
    return isPrivate(to: user, members: members, users: users) ? user.group : nil
  }
}

extension PrivateGroup.User {
  fileprivate init(_ entry: passwd) {
    self.init(name: entry.pw_name.map { String(cString: $0) } ?? "", id: entry.pw_uid, group: entry.pw_gid)
  }
}
