import Wire

/// What is deployed, and its state.
actor Deployments {
  /// The one with a port of its own.
  static let legacyID = Sample.id("deployment", "legacy")

  private(set) var all: [Deployment]

  /// A lively world: running, on its way, broken, of other kinds, without a name.
  init(contextWindow: Int?, hasModel: Bool, legacyPort: Int?, hasTools: Bool) {
    let local = Sample.id("model", "smollm2")
    var all = [
      Deployment(
        id: Sample.id("deployment", "notes"), modelID: local, name: "Notes-Assistant-135M",
        canonicalID: "notes-assistant-135m", requestedAt: "2026-02-20T09:12:40.118203",
        deployedAt: "2026-02-20T09:13:02.500817", contextWindow: contextWindow),
      Deployment(
        id: Sample.id("deployment", "smollm2"), modelID: local, name: "SmolLM2-135M-Instruct",
        canonicalID: "smollm2-135m-instruct", requestedAt: "2026-02-12T00:26:11.904511",
        deployedAt: "2026-02-12T00:26:43.123456", contextWindow: contextWindow),
      Deployment(
        id: Sample.id("deployment", "unnamed"), modelID: local, name: nil, canonicalID: "smollm2-nightly",
        requestedAt: "2026-03-01T18:00:00.000412", deployedAt: "2026-03-01T18:00:21.730002",
        contextWindow: contextWindow),
      Deployment(
        id: Sample.id("deployment", "qwen"), modelID: Sample.id("model", "qwen"), name: "Qwen3-8B",
        canonicalID: "qwen3-8b", engine: "vllm", status: "INITIALIZING", requestedAt: "2026-03-02T07:45:10.330021",
        contextWindow: 32768),
      Deployment(
        id: Sample.id("deployment", "llama"), modelID: Sample.id("model", "llama"), name: "Llama-3.3-70B-Instruct",
        canonicalID: "llama-3.3-70b-instruct", engine: "vllm", status: "FAILED",
        requestedAt: "2026-02-27T14:03:55.810044", errorCode: "OOM",
        errorMessage: "CUDA out of memory: 140.2 GiB needed, 79.1 GiB free", contextWindow: 131072),
      Deployment(
        id: Sample.id("deployment", "phi"), modelID: Sample.id("model", "phi"), name: "Phi-4-Mini",
        canonicalID: "phi-4-mini", requestedAt: "2026-01-20T08:00:00.000001", deployedAt: "2026-01-20T08:00:09.000001",
        contextWindow: 16384, isCopying: true),
      Deployment(
        id: Sample.id("deployment", "bge"), modelID: Sample.id("model", "bge"), name: "bge-small-en-v1.5",
        canonicalID: "bge-small-en-v1.5", kind: .embedding, requestedAt: "2026-01-30T10:00:00.221100",
        deployedAt: "2026-01-30T10:00:09.004521", contextWindow: 512),
      Deployment(
        id: Sample.id("deployment", "whisper"), modelID: Sample.id("model", "whisper"), name: "whisper-base",
        canonicalID: "whisper-base", kind: .transcription, engine: "whispercpp",
        requestedAt: "2026-01-31T11:20:00.105330", deployedAt: "2026-01-31T11:20:07.991016"),
    ]
    if let legacyPort {
      all.append(
        Deployment(
          id: Self.legacyID, modelID: local, name: "SmolLM2-on-a-port", canonicalID: "smollm2-on-a-port",
          requestedAt: "2026-03-03T08:00:00.000001", deployedAt: "2026-03-03T08:00:12.000001",
          contextWindow: contextWindow, port: legacyPort))
    }
    if hasTools {
      all.append(
        Deployment(
          id: Sample.id("deployment", "tool-demo"), modelID: Sample.id("model", "tool-demo"), name: "Tool-Demo",
          canonicalID: "tool-demo", kind: .toolDemo, engine: "playground", requestedAt: "2026-03-04T08:00:00.000001",
          deployedAt: "2026-03-04T08:00:01.000001", contextWindow: 8192))
    }
    if !hasModel {
      for place in all.indices where all[place].kind == .chat && all[place].isRunning {
        all[place].fail(code: "MODEL_LOADING_FAILURE", message: "no local model was given")
      }
    }
    self.all = all
  }

  subscript(id: String) -> Deployment? { all.first { $0.id == id } }

  /// Changes the deployment that has this name or identifier; false when there is none.
  func change(_ name: String, _ change: @Sendable (inout Deployment) -> Void) -> Bool {
    guard let place = all.firstIndex(where: { $0.answers(to: name) }) else { return false }
    change(&all[place])
    return true
  }
}
