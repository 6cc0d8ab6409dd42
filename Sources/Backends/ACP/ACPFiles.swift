import Chat
import Confined
import Wire

/// Files that an agent has this program read and write (docs/acp.md 6). Inside of its folder reading is free and writing
/// is asked about; outside of it, and of names that hold secrets, everything is.
extension ACPAgent {
  /// As it was when the agent was started: another folder in its place is not meant (docs/rules.md A2).
  var files: ConfinedFolder? { known.withLock { $0.files } }

  func readFile(_ params: JSON) async throws(RPCFailure) -> JSON {
    let path = absolute(params)
    let (line, limit) = (params["line"]?.int, params["limit"]?.int)
    var why = AgentAct.Unusual.outside
    do throws(ConfinedFailure) {
      guard let files else { throw .missing }
      return ["content": .string(try files.read(path, line: line, limit: limit))]
    } catch {
      switch error {
      case .outside: break
      case .protected: why = .protected
      default: throw RPCFailure(error)
      }
    }
    // Found once: what is shown is what is read, whatever link is put there meanwhile.
    let file = try allowedFile(path)
    try await leave(.read(path: file.path, why: why), params)
    do throws(ConfinedFailure) { return ["content": .string(try file.read(line: line, limit: limit))] } catch {
      throw RPCFailure(error)
    }
  }

  func writeFile(_ params: JSON) async throws(RPCFailure) -> JSON {
    guard let text = params["content"]?.string else { throw .invalid("no content") }
    let path = absolute(params)
    let file = try allowedFile(path)
    let change = change(of: file, to: text)
    switch files?.place(of: file.path, for: .writing) {
    case .own: throw RPCFailure(ConfinedFailure.own)
    case .inside(isProtected: true): try await leave(.write(change, why: .protected), params)
    case .inside(isProtected: false):
      var shown = change
      // As the agent named it.
      shown.path = path
      let wasShown = known.withLock { known in known.allowed.take(shown) || known.allowed.take(change) }
      if !wasShown { try await leave(.write(change, why: nil), params) }
    case .outside, nil: try await leave(.write(change, why: .outside), params)
    }
    try await write(text, to: file, change, params)
    return [:]
  }

  /// With what its changes really take the place of, where the agent does not say and the file is one that it may read:
  /// otherwise a file that is there would be shown as a new one.
  func compared(_ activity: Activity) -> Activity {
    var compared = activity
    compared.content = activity.content.map { content in
      // Found once: what is looked at is what was found to be inside, whatever link is put there meanwhile.
      guard case .diff(let change) = content, change.old == nil, let files, let file = try? allowedFile(change.path),
        files.place(of: file.path, for: .writing) == .inside(isProtected: false)
      else { return content }
      var real = self.change(of: file, to: change.new)
      // As the agent named it.
      real.path = change.path
      return .diff(real)
    }
    return compared
  }

  /// Models name files as they like, and some agents hand that on.
  private func absolute(_ params: JSON) -> String {
    let path = params["path"]?.string ?? ""
    return path.isEmpty || path.hasPrefix("/") ? path : folder + "/" + path
  }

  /// What becomes of a file; what there is of it now, where that can be shown.
  private func change(of file: AllowedFile, to text: String) -> FileChange {
    do throws(ConfinedFailure) {
      return FileChange(path: file.path, old: try file.read(), new: text)
    } catch {
      return FileChange(path: file.path, old: nil, new: text, replacesUnseen: error != .missing)
    }
  }

  /// Writes; of a file that has other names the person is told first (docs/rules.md A2).
  private func write(
    _ text: String, to file: AllowedFile, _ change: FileChange, _ params: JSON
  ) async throws(RPCFailure) {
    do throws(ConfinedFailure) { return try file.write(text) } catch {
      guard error == .hardLinked else { throw RPCFailure(error) }
    }
    try await leave(.write(change, why: .hardLinked), params)
    do throws(ConfinedFailure) { try file.write(text, allowing: .hardLinks) } catch { throw RPCFailure(error) }
  }

  private func allowedFile(_ path: String) throws(RPCFailure) -> AllowedFile {
    do throws(ConfinedFailure) {
      return try AllowedFile(path, ownFolders: surroundings.ownFolders, umask: surroundings.umask)
    } catch { throw RPCFailure(error) }
  }

  /// Waits for the person's leave; throws when there is none, and when the agent that asked is gone.
  func leave(_ act: AgentAct, _ params: JSON) async throws(RPCFailure) {
    let line = known.withLock { $0.line?.number }
    let reply = await withCheckedContinuation { waiter in
      ask(.act(act), in: params["sessionId"]?.string) { waiter.resume(returning: $0) }
    }
    switch reply {
    case .allow where line != nil && line == known.withLock({ $0.line?.number }): return
    case .allow, .cancel: throw RPCFailure(code: ACPCode.cancelled, message: "Request cancelled")
    default: throw .refused("The person did not allow it")
    }
  }
}

extension RPCFailure {
  static func refused(_ words: String) -> RPCFailure { RPCFailure(code: internalError, message: words) }

  init(_ failure: ConfinedFailure) {
    switch failure {
    case .missing: self.init(code: ACPCode.notFound, message: "Resource not found")
    case .notAbsolute: self = .invalid("the path is not absolute")
    case .malformed: self = .invalid("no such path can be")
    case .outside: self = .refused("the path leads out of the folder")
    case .own: self = .refused("that is not for agents")
    case .protected: self = .refused("the name is protected")
    case .notAFolder: self = .refused("a folder above it is none")
    case .notRegular: self = .refused("not an ordinary file")
    case .link: self = .refused("a link that is not followed")
    case .moved: self = .refused("the folder is another one now")
    case .tooLarge(let limit): self = .refused("larger than \(limit >> 20) MiB")
    case .notText: self = .refused("not UTF-8 text")
    case .hardLinked: self = .refused("the file has other names")
    case .denied: self = .refused("permission denied")
    case .noSpace: self = .refused("no space left")
    case .other(let words): self = .refused(words)
    }
  }
}
