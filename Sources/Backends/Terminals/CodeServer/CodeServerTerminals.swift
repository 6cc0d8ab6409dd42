import Chat
import Wire

/// The terminals of an editor: they outlive whoever is attached.
struct CodeServerTerminals: Terminals {
  let api: CodeServerAPI

  func list() async throws(TerminalError) -> [TerminalInfo] { try await named().map(\.info) }

  /// By their names where these tell them apart, and can be typed; else by the server's own.
  private func named() async throws(TerminalError) -> [(info: TerminalInfo, id: String)] {
    let list: [JSON]
    do throws(BackendError) { list = try await api.list() } catch { throw TerminalError(error) }
    let names = list.compactMap { $0["name"]?.string }
    return list.compactMap { json in
      guard let id = json["id"]?.string else { return nil }
      let name = json["name"]?.string ?? id
      let isUsable = names.filter { $0 == name }.count == 1 && TerminalNames.isName(name)
      return (CodeServerTerminals.info(json, called: isUsable ? name : id, name), id)
    }
  }

  private static func info(_ json: JSON, called id: String, _ name: String) -> TerminalInfo {
    TerminalInfo(
      id: id, name: name, pid: json["pid"]?.int, folder: json["cwd"]?.string, program: json["processName"]?.string,
      hasClaude: (json["isClaudeActive"] ?? json["isClaudeCode"])?.bool,
      createdAt: json["createdAt"].flatMap { Moment.milliseconds($0) },
      lastActivity: json["lastActivity"].flatMap { Moment.milliseconds($0) },
      columns: json["dimensions"]?["cols"]?.int, rows: json["dimensions"]?["rows"]?.int)
  }

  /// The path of a terminal, and the size that its server tells.
  private func path(of id: String) async throws(TerminalError) -> (path: String, id: String, size: TerminalSize?) {
    guard let (info, own) = try await named().first(where: { $0.info.id == id }) else { throw .gone(id) }
    var size: TerminalSize?
    if let columns = info.columns, let rows = info.rows { size = TerminalSize(columns: columns, rows: rows) }
    return ("/api/terminals/" + own.percentEncoded, own, size)
  }

  private func form() async throws(TerminalError) -> CodeServerForm {
    do throws(BackendError) { return try await api.form() } catch { throw TerminalError(error) }
  }

  func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    guard try await form() == .written else { throw .notOffered(.making) }
    let all = try await named()
    let name = name ?? TerminalNames.free(for: folder ?? "terminal", besides: Set(all.map(\.info.name)))
    guard TerminalNames.isName(name) else { throw .badName(name) }
    guard !all.contains(where: { $0.info.name == name }) else { throw .nameTaken(name) }
    var body: JSON = ["name": .string(name)]
    body["cwd"] = folder.map(JSON.string)
    do throws(BackendError) {
      let document = try await api.ask("POST", "/api/terminals", body)
      guard document.isSuccess else { throw api.refusal(document) }
    } catch { throw TerminalError(error) }
    return .made(id: name)
  }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    guard try await form() == .written else { throw .notOffered(.attaching) }
    return .line(try await LiveLine.open(dial(id), columns: columns, rows: rows))
  }

  func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    WatchedLine(try await LiveLine.watch(dial(id)))
  }

  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    let form = try await form()
    let (path, _, size) = try await path(of: id)
    return PastLines.text(of: try await past(path, form, atMost: limit), size: size, atMost: limit)
  }

  /// What a terminal said before: lines of the one form, pieces as they came of the other.
  private func past(
    _ path: String, _ form: CodeServerForm, atMost limit: Int = 1000
  ) async throws(TerminalError) -> [UInt8] {
    do throws(BackendError) {
      let query = form == .written ? "/history?lines=\(min(limit, 10_000))" : ""
      let document = try await api.ask("GET", path + query)
      guard document.isSuccess else { throw api.refusal(document) }
      let json = document.json ?? .null
      if let lines = json["lines"]?.array {
        return Array(lines.map { $0["content"]?.string ?? $0.string ?? "" }.joined(separator: "\r\n").utf8)
      }
      return (json["buffer"]?.array ?? []).flatMap { Array(($0.string ?? $0["data"]?.string ?? "").utf8) }
    } catch { throw TerminalError(error) }
  }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    let run = WireRun(command, dial(id), id, quiet: quiet)
    return TerminalRun(
      next: { () async throws(TerminalError) in try await run.next() }, interrupt: { await run.interrupt() })
  }

  func close(_ id: String) async throws(TerminalError) {
    guard try await form() == .written else { throw .notOffered(.closing) }
    let (path, _, _) = try await path(of: id)
    do throws(BackendError) {
      let document = try await api.ask("DELETE", path)
      guard document.isSuccess else { throw api.refusal(document) }
    } catch { throw TerminalError(error) }
  }

  private func dial(_ id: String) -> TerminalDial {
    TerminalDial(
      open: { size async throws(TerminalError) in try await open(id, size) }, clock: api.endpoint.clock)
  }

  /// The connection stands before the past is asked for, so that nothing is missed between the two.
  private func open(_ id: String, _ size: TerminalSize?) async throws(TerminalError) -> any TerminalWire {
    let form = try await form()
    let (path, own, _) = try await path(of: id)
    switch form {
    case .written:
      let socket = try await api.open(path + "/stream", asking: CodeServerAPI.subprotocol)
      let wire = CodeServerWire(
        socket, api.endpoint.failures, .ofOne, past: .past(try await past(path, form)))
      try await wire.meet(api.endpoint.clock)
      if let size { try await wire.resize(columns: size.columns, rows: size.rows) }
      return wire
    case .built:
      let socket = try await api.open("/api/terminal/stream", asking: nil)
      return CodeServerWire(
        socket, api.endpoint.failures, .ofAll(terminal: own), past: .past(try await past(path, form)))
    }
  }
}
