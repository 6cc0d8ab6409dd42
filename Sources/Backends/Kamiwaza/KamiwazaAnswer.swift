import Chat

/// An answer of a deployment on its way: finds where the model is asked and by what name, asks it as any
/// OpenAI-compatible server, and looks what became of the deployment when it does not answer (docs/kamiwaza.md 5).
actor KamiwazaAnswer {
  private enum Phase {
    case unresolved
    case asking(OpenAIAnswer, model: String)
    /// The deployment is looked at again for so many seconds.
    case healing(seconds: Int, after: BackendError)
    case failed(BackendError)
    case ended
  }

  /// Seconds in which a deployment may heal by itself.
  private static let healingTime = 12
  /// Seconds between two looks at it.
  private static let lookEvery = 3

  nonisolated let stopSwitch = StopSwitch()
  private let question: ChatRequest
  private let backend: KamiwazaBackend

  private var phase = Phase.unresolved
  private var events: [ChatEvent] = []
  private var start: Double?
  private var entry: KamiwazaModels.Entry?
  private var names = KamiwazaModelNames(last: nil, canonical: nil, shown: nil)
  private var hasBegun = false
  private var hasLookedWhileBusy = false
  private var hasLooked = false
  private var firstError: BackendError?

  init(_ question: ChatRequest, of backend: KamiwazaBackend) {
    self.question = question
    self.backend = backend
  }

  func next() async throws(BackendError) -> ChatEvent? {
    while true {
      if !events.isEmpty { return events.removeFirst() }
      switch phase {
      case .ended: return nil
      case .failed(let error):
        phase = .ended
        throw error
      default: break
      }
      do throws(BackendError) {
        try await advance()
      } catch {
        if case .modelGone = error { backend.memory.forgetList() }
        phase = .failed(error)
      }
    }
  }

  /// One step: afterwards there is an event, or the phase is another.
  private func advance() async throws(BackendError) {
    switch phase {
    case .unresolved: try await resolve()
    case .asking(let answer, let model): try await read(answer, model: model)
    case .healing(let seconds, let error): try await heal(for: seconds, after: error)
    case .failed, .ended: break
    }
  }

  /// Waits for what the switch can end.
  private func wait<T: Sendable>(
    for body: @escaping @Sendable () async throws(BackendError) -> T
  ) async throws(BackendError) -> T {
    guard !stopSwitch.isStopped else { throw .cancelled }
    // Ends before this function does.
    let work = Task { await settled(of: body) }
    let outcome = await stopSwitch.wait({ await work.value }, endedBy: { work.cancel() })
    guard !stopSwitch.isStopped else { throw .cancelled }
    return try outcome.get()
  }
}

extension KamiwazaAnswer {
  private func resolve() async throws(BackendError) {
    start = start ?? backend.api.endpoint.clock.now()
    let found = try await wait { [backend, question] () async throws(BackendError) in
      try await backend.find(question.model)
    }
    entry = found
    guard found.deployment.isActive else {
      let gone = BackendError.modelGone(name: found.name, state: found.deployment.status?.lowercased())
      if try await look(after: gone) { throw gone }
      return
    }
    try await ask(found.deployment)
  }

  /// Asks by the first of the names that the engine may know.
  private func ask(_ deployment: Kamiwaza.Deployment) async throws(BackendError) {
    names = KamiwazaModelNames(
      last: backend.memory.name(for: deployment.id), canonical: deployment.canonicalModelID, shown: deployment.name)
    if try await !askByNextName(deployment) { throw firstError ?? .modelGone(name: deployment.shownName, state: nil) }
  }

  /// false when no name is left.
  private func askByNextName(_ deployment: Kamiwaza.Deployment) async throws(BackendError) -> Bool {
    let endpoint = backend.endpoint(of: deployment)
    while let name = names.next() {
      switch name {
      case .known(let model):
        guard names.use(model) else { continue }
        return try ask(endpoint, deployment, model: model)
      case .served:
        let patience = KamiwazaModelNames.patience
        // An engine that does not list its models is asked by other names.
        let list = try await wait { () async throws(BackendError) in
          await settled { () async throws(BackendError) in try await endpoint.within(seconds: patience).modelList() }
        }
        guard case .success(let served) = list,
          let model = served.models.first(where: \.isForChat)?.id ?? served.models.first?.id, names.use(model)
        else { continue }
        return try ask(endpoint, deployment, model: model)
      }
    }
    return false
  }

  private func ask(
    _ endpoint: Endpoint, _ deployment: Kamiwaza.Deployment, model: String
  ) throws(BackendError) -> Bool {
    var question = question
    question.model = model
    // What its engine is not said to take goes in words (docs/kamiwaza.md 6.5).
    if question.toolFormat == .auto, deployment.takesNativeTools != true { question.toolFormat = .text }
    if let limit = question.timeouts.firstToken, let start {
      let left = limit - (endpoint.clock.now() - start)
      guard left > 0 else { throw .timedOut(address: endpoint.address, .firstToken, seconds: limit) }
      question.timeouts.firstToken = left
    }
    let dialect = backend.memory.dialect(for: deployment.id)
    phase = .asking(OpenAIAnswer(question, endpoint: endpoint, dialect: dialect), model: model)
    return true
  }
}

extension KamiwazaAnswer {
  private func read(_ answer: OpenAIAnswer, model: String) async throws(BackendError) {
    let next = await stopSwitch.wait(
      { await settled { () async throws(BackendError) in try await answer.next() } },
      endedBy: { answer.stopSwitch.stop() })
    switch next {
    case .success(nil): phase = .ended
    case .success(let event?): try await take(event, model: model)
    case .failure(let error): try await consider(error)
    }
  }

  private func take(_ event: ChatEvent, model: String) async throws(BackendError) {
    switch event {
    case .notice(.waiting(.overloaded, _)) where !hasBegun && !hasLookedWhileBusy:
      hasLookedWhileBusy = true
      events.append(event)
      _ = try await look(after: nil)
    case .notice: events.append(event)
    default:
      if !hasBegun, let entry { backend.memory.remember(model, for: entry.deployment.id) }
      hasBegun = true
      events.append(event)
    }
  }

  /// Decides what follows from a failure: to look at the deployment, to ask by another name, or to give up.
  private func consider(_ error: BackendError) async throws(BackendError) {
    let error = own(error)
    guard !hasBegun, let entry, error.isMissing || error.isModelMissing || error.isDown else { throw error }
    firstError = firstError ?? error
    if !hasLooked {
      hasLooked = true
      guard try await look(after: error) else { return }
    }
    if error.isMissing || error.isModelMissing {
      backend.memory.forget(entry.deployment.id)
      if try await askByNextName(self.entry?.deployment ?? entry.deployment) { return }
      throw firstError ?? error
    }
    throw backend.plainly(error, of: self.entry?.deployment ?? entry.deployment)
  }

  /// The failure in this question's own terms.
  private func own(_ error: BackendError) -> BackendError {
    switch error {
    case .modelNotFound(_, let message): .modelNotFound(name: entry?.name ?? question.model ?? "", message: message)
    case .timedOut(let address, .firstToken, _):
      .timedOut(address: address, .firstToken, seconds: question.timeouts.firstToken ?? 0)
    default: error
    }
  }
}

extension KamiwazaAnswer {
  /// Reads the deployment anew. true: it is as it was, or nobody knows; false: another phase has begun. Throws
  /// `modelGone` when it does not run any more.
  private func look(after error: BackendError?) async throws(BackendError) -> Bool {
    guard let entry else { return true }
    switch try await condition(of: entry) {
    case .unknown: return true
    case .active(let deployment):
      let hasMoved = backend.endpoint(of: deployment).base != backend.endpoint(of: entry.deployment).base
      let wasActive = entry.deployment.isActive
      self.entry?.deployment = deployment
      guard error != nil, hasMoved || !wasActive else { return true }
      try await ask(deployment)
      return false
    case .healing(let state):
      phase = .healing(
        seconds: KamiwazaAnswer.healingTime, after: .modelGone(name: entry.name, state: state.status?.lowercased()))
      events.append(.notice(.waiting(.loadingModel, seconds: KamiwazaAnswer.healingTime)))
      return false
    case .gone(let state): throw .modelGone(name: entry.name, state: state)
    }
  }

  private func condition(of entry: KamiwazaModels.Entry) async throws(BackendError) -> KamiwazaCondition {
    try await wait { [backend] () async throws(BackendError) in await backend.api.condition(of: entry.deployment) }
  }

  private func heal(for seconds: Int, after error: BackendError) async throws(BackendError) {
    guard !stopSwitch.isStopped else { throw .cancelled }
    await stopSwitch.pause(1, on: backend.api.endpoint.clock)
    let left = seconds - 1
    // It had its time: what fails from now on has failed.
    hasLooked = true
    hasLookedWhileBusy = true
    if left % KamiwazaAnswer.lookEvery == 0, let entry {
      switch try await condition(of: entry) {
      case .active(let deployment):
        self.entry?.deployment = deployment
        return try await ask(deployment)
      case .gone(let state): throw .modelGone(name: entry.name, state: state)
      case .healing, .unknown: break
      }
    }
    guard left > 0 else { throw error }
    phase = .healing(seconds: left, after: error)
    events.append(.notice(.waiting(.loadingModel, seconds: left)))
  }
}
