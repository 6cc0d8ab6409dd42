import Chat
import Store
import Text
import Waiting

/// The way to one server, step by step: what a step needs and does not have skips it.
struct ServerCheckup {
  /// It is only looked at.
  private let desk: Desk
  private let patient: Patient
  private var url: String
  private var backend: (any Backend)?
  private var models: [Model] = []

  init(_ patient: Patient, _ desk: Desk) {
    self.patient = patient
    self.desk = desk
    switch patient {
    case .kept(let entry):
      url = entry.server.url
      backend = desk.world.backend(entry.server, desk.preferences.timeouts)
    case .connected(let link):
      url = link.server.url
      backend = link.backend
    case .address(let address):
      url = address
    }
  }

  private var name: String { patient.name }

  private var timeouts: Timeouts { desk.preferences.timeouts }

  mutating func run(_ diagnosis: inout Diagnosis) async throws(ShellError) {
    try await completeAddress()
    let inspection = try await look()
    diagnosis.add(nameFinding(inspection))
    let way: [Check] = [.name, .connection, .certificate]
    add(.connection, needs: [.name], to: &diagnosis) { connectionFinding(inspection) }
    add(.certificate, needs: [.name, .connection], to: &diagnosis) { certificateFinding(inspection) }
    try await add(.api, needs: way, to: &diagnosis) { this throws(ShellError) in try await this.apiFinding() }
    if backend?.health != nil {
      try await add(.health, needs: way + [.api], to: &diagnosis) { this throws(ShellError) in
        try await this.healthFinding()
      }
    }
    try await add(.signIn, needs: way + [.api], to: &diagnosis) { this throws(ShellError) in
      try await this.signInFinding()
    }
    try await add(.models, needs: way + [.api, .signIn], to: &diagnosis) { this throws(ShellError) in
      try await this.modelsFinding()
    }
    try await add(.answer, needs: way + [.api, .signIn, .models], to: &diagnosis) { this throws(ShellError) in
      try await this.answerFinding()
    }
  }

  private func add(_ check: Check, needs: [Check], to diagnosis: inout Diagnosis, _ find: () -> Finding) {
    diagnosis.add(skipped(check, needs, diagnosis) ?? find())
  }

  private mutating func add(
    _ check: Check, needs: [Check], to diagnosis: inout Diagnosis,
    _ find: (inout ServerCheckup) async throws(ShellError) -> Finding
  ) async throws(ShellError) {
    if let skipped = skipped(check, needs, diagnosis) { return diagnosis.add(skipped) }
    diagnosis.add(try await find(&self))
  }

  private func skipped(_ check: Check, _ needs: [Check], _ diagnosis: Diagnosis) -> Finding? {
    diagnosis.obstacle(among: needs).map { .skipped(check, "needs the \($0.rawValue)") }
  }

  // The steps.

  /// An address without a scheme is what the probe makes of it.
  private mutating func completeAddress() async throws(ShellError) {
    guard case .address(let address) = patient, !address.contains("://") else { return }
    let (probe, timeouts) = (desk.world.probe, timeouts)
    let found = try await ask { () throws(BackendError) in try await probe(address, nil, false, timeouts) }
    switch found {
    case .success(let server): url = server.url
    case .failure(.notFound(let tried)):
      // What answered, if it was no API, tells how to speak to it.
      let answered = tried.first { if case .answered = $0.outcome { true } else { false } }
      url = (answered?.url.hasPrefix("http:") == true ? "http://" : "https://") + address
    case .failure: url = "https://" + address
    }
  }

  private func look() async throws(ShellError) -> Inspection {
    let (inspect, url, timeouts) = (desk.world.inspect, url, timeouts)
    let patience = timeouts.connect + timeouts.request
    let result = try await ask(within: patience) { () throws(BackendError) in await inspect(url, timeouts) }
    switch result {
    case .success(let inspection): return inspection
    // What did not come back in time has no link.
    case .failure:
      return Inspection(
        host: Link.hostName(of: url), port: 0, failure: .other("no answer within \(Int(patience)) s"))
    }
  }

  private func nameFinding(_ inspection: Inspection) -> Finding {
    switch inspection.failure {
    case .unknownHost, .badAddress: return .failed(.name, complaint(inspection))
    case .some where inspection.addresses.isEmpty: return .ok(.name, "\(inspection.host)")
    default: break
    }
    let others = inspection.addresses.filter { $0 != inspection.host }
    return .ok(
      .name, others.isEmpty ? "\(inspection.host)" : "\(inspection.host) is \(others.joined(separator: ", "))")
  }

  private func connectionFinding(_ inspection: Inspection) -> Finding {
    inspection.failure == nil
      ? .ok(.connection, "port \(inspection.port) answers") : .failed(.connection, complaint(inspection))
  }

  private func complaint(_ inspection: Inspection) -> Complaint {
    Complaint(.unreachable(address: url, reason: inspection.failure ?? .other("")), server: name)
  }

  private func certificateFinding(_ inspection: Inspection) -> Finding {
    guard let certificate = inspection.certificate, let verdict = inspection.verdict else {
      return .ok(.certificate, "plain http: there is none, and nothing is encrypted")
    }
    let until: SafeText = "\(Moments.day(certificate.validUntil))"
    switch verdict {
    case .system: return .ok(.certificate, "trusted by this machine, until \(until)")
    case .pinned: return .ok(.certificate, "trusted by you, until \(until)")
    case .authorities(let file): return .ok(.certificate, "trusted by the authorities in \(file), until \(until)")
    case .distrusted(let before):
      var complaint = Complaint(.untrusted(Distrust(certificate, before: before)), server: name)
      if complaint.hint == nil, patient.isKept { complaint.hint = "/server trust \(Words.quoted(name))" }
      return .failed(.certificate, complaint)
    }
  }

  private mutating func apiFinding() async throws(ShellError) -> Finding {
    let (probe, url, timeouts, kind) = (desk.world.probe, url, timeouts, backend?.server.kind)
    switch try await ask({ () throws(BackendError) in try await probe(url, kind, false, timeouts) }) {
    case .failure(let error)
    where lacksModelList && Links.unlistedServer(error, at: url, isNamed: true, hasModel: false) != nil:
      return .ok(.api, "openai at \(url), without a list of models")
    case .failure(let error): return .failed(.api, Complaint(error, server: name, kind: backend?.server.kind))
    case .success(let found):
      if case .address(let address) = patient {
        backend = desk.world.backend(
          Server(name: address, kind: found.kind, url: found.url), timeouts)
      }
      guard let backend else {
        return .failed(.api, Complaint(.unknownKind(server: name, kind: found.kind)))
      }
      guard backend.server.kind == found.kind else {
        return .failed(
          .api,
          Complaint(
            "it is of kind \(found.kind) now, and was kept as \(backend.server.kind)",
            hint: "/connect \(Words.quoted(url))", .usage))
      }
      return .ok(.api, "\(found.kind) at \(found.url)")
    }
  }

  private func healthFinding() async throws(ShellError) -> Finding {
    guard let reporting = backend?.health else { return .skipped(.health, "it says nothing of that") }
    switch try await ask({ () throws(BackendError) in try await reporting.health() }) {
    case .failure(let error): return .failed(.health, Complaint(error, server: name, kind: backend?.server.kind))
    case .success(let health):
      guard health.isWell else {
        let why: SafeText = health.problem.map { " (\($0))" } ?? ""
        return .failed(.health, Complaint("it says that it is not well" + why, .refused))
      }
      return .ok(.health, HealthPage.line(health))
    }
  }

  private func signInFinding() async throws(ShellError) -> Finding {
    guard let account = backend?.account else {
      return .skipped(.signIn, "servers of kind '\(backend?.server.kind ?? "")' have no accounts")
    }
    switch try await ask({ () throws(BackendError) in try await account.person() }) {
    case .failure(let error): return .failed(.signIn, Complaint(error, server: name, kind: backend?.server.kind))
    case .success(let person):
      let way: SafeText =
        switch person.kind {
        case .key: ", with a key"
        case .device: ", with the token of this device"
        case .session: ", by password or browser"
        case .guest: ", known by a name that parley made up"
        case nil: ""
        }
      let left = person.expiresAt.map { ", for \(timeLeft(until: $0)) more" as SafeText } ?? ""
      return .ok(.signIn, "\(person.name)" + way + left)
    }
  }

  private func timeLeft(until moment: Int) -> SafeText {
    let now = desk.world.now()
    let left = age(of: now, at: moment)
    return left == "now" ? "less than a minute" : left
  }

  private mutating func modelsFinding() async throws(ShellError) -> Finding {
    guard let backend, backend.abilities.contains(.models) else {
      return .skipped(.models, "server '\(name)' has none to choose from")
    }
    if lacksModelList { return .skipped(.models, "server '\(name)' does not list them") }
    switch try await ask({ () throws(BackendError) in try await backend.models() }) {
    case .failure(let error): return .failed(.models, Complaint(error, server: name, kind: backend.server.kind))
    case .success(let found):
      models = found
      let ready = found.filter(\.isReady).count
      if found.isEmpty { return .failed(.models, Complaint(.noModels(server: name, kind: backend.server.kind))) }
      guard ready > 0 else {
        return .failed(.models, Complaint("none of \(found.count) is ready", hint: "/models shows why", .refused))
      }
      return .ok(.models, "\(ready) of \(found.count) ready")
    }
  }

  /// One word, which costs the server next to nothing, and how long it took.
  private func answerFinding() async throws(ShellError) -> Finding {
    guard let backend else { return .skipped(.answer, "there is nobody to ask") }
    if backend.keepsTerminalsAlone { return try await terminalsFinding(backend) }
    let model = model
    var request = ChatRequest(
      model: model, messages: [Message(.user, "Say ok.")], sampling: Sampling(maxTokens: 1), timeouts: timeouts)
    request.timeouts.firstToken = timeouts.firstToken ?? timeouts.request
    let began = desk.world.uptime()
    let answer = backend.answer(request)
    let made = Locked<String?>(nil)
    let patience = timeouts.connect + (request.timeouts.firstToken ?? 0) + timeouts.request
    let result = try await ask(within: patience) { () throws(BackendError) in
      try await answer.reachesItsEnd { id in made.withLock { $0 = id } }
    }
    // A server that keeps conversations has one of this question now, which nobody wants to see there.
    if let id = made.withLock({ $0 }), let sessions = backend.sessions, sessions.abilities.contains(.delete) {
      _ = try await ask { () throws(BackendError) in try await sessions.delete(id) }
    }
    let seconds = max(0, desk.world.uptime() - began)
    let time = "\(Int(seconds)).\(Int(seconds * 10) % 10) s"
    switch result {
    case .failure(let error): return .failed(.answer, Complaint(error, server: name, kind: backend.server.kind))
    case .success(false):
      return .failed(.answer, Complaint("the stream ended without its end mark", hint: "/retry asks again", .cutOff))
    case .success(true): return .ok(.answer, "\(model ?? name) answered in \(time)")
    }
  }

  /// Nobody there answers a message: its list does.
  private func terminalsFinding(_ backend: any Backend) async throws(ShellError) -> Finding {
    let list = try await ask { () throws(BackendError) in
      do throws(TerminalError) { return try await backend.terminals?.list().count ?? 0 } catch {
        if case .server(let error) = error { throw error }
        throw error == .cancelled ? .cancelled : .notOffered("a list of its terminals")
      }
    }
    switch list {
    case .failure(let error): return .failed(.answer, Complaint(error, server: name, kind: backend.server.kind))
    case .success(let count): return .ok(.answer, "\(count) \(count == 1 ? "terminal" : "terminals")")
    }
  }

  /// Whether the server is known not to list its models.
  private var lacksModelList: Bool {
    switch patient {
    case .kept(let entry): !entry.hasModelList
    case .connected(let link): !link.hasModelList
    case .address: false
    }
  }

  /// The one in use where it can be asked, else the first that can.
  private var model: String? {
    let used: String? =
      switch patient {
      case .kept(let entry): entry.model
      case .connected(let link): link.model
      case .address: nil
      }
    let ready = models.filter { $0.isReady && $0.isForChat }.map(\.id)
    return used.flatMap { ready.contains($0) || lacksModelList ? $0 : nil } ?? ready.first
  }

  // Asking.

  /// Asks for so long at most; Ctrl-C ends the whole checkup.
  private func ask<T: Sendable>(
    within seconds: Double? = nil, _ question: @escaping @Sendable () async throws(BackendError) -> T
  ) async throws(ShellError) -> Result<T, BackendError> {
    let patience = seconds ?? timeouts.connect + timeouts.request
    let address = url
    let result = await desk.interruptible { [pause = desk.world.pause] () throws(BackendError) -> T in
      if let found = try await within(patience, pause: pause, question) { return found }
      throw Task.isCancelled ? .cancelled : .timedOut(address: address, .request, seconds: patience)
    }
    if case .failure(.cancelled) = result { throw .interrupted }
    return result
  }
}

extension Answer {
  /// Whether its end mark comes. An answer does not look at the task that reads it.
  /// - Parameter note: is told which conversation of the server's own it is of.
  fileprivate func reachesItsEnd(note: @escaping @Sendable (_ conversation: String) -> Void) async throws(BackendError)
    -> Bool
  {
    let result = await withTaskCancellationHandler { () -> Result<Bool, BackendError> in
      do throws(BackendError) {
        for try await event in self {
          if case .conversation(let id) = event { note(id) }
          if case .finished = event { return .success(true) }
        }
        return .success(false)
      } catch {
        return .failure(error)
      }
    } onCancel: {
      stop()
    }
    return try result.get()
  }
}
