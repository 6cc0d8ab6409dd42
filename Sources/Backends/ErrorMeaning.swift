import Chat

extension ErrorBody {
  /// The error when it is that the prompt does not fit; each server has its own words for it.
  var contextError: BackendError? {
    let words = [code, type].compactMap { $0 }
    let lowered = message.lowercased()
    guard
      words.contains(where: ErrorBody.contextCodes.contains) || ErrorBody.contextWords.contains(where: lowered.contains)
    else { return nil }
    let context = contextTokens ?? ErrorBody.number(in: lowered, after: ErrorBody.wordsBeforeContext)
    let prompt = promptTokens ?? ErrorBody.number(in: lowered, after: ErrorBody.wordsBeforePrompt)
    // A prompt that would fit is another number, such as a part of it.
    let isTooLong = if let prompt, let context { prompt > context } else { true }
    return .contextExceeded(message: message, promptTokens: isTooLong ? prompt : nil, contextTokens: context)
  }

  private static let contextCodes: Set = [
    "context_length_exceeded", "exceed_context_size_error", "context_window_exceeded",
    "model_max_prompt_tokens_exceeded",
  ]
  /// Parts of the words for it. The sources of whole messages are beside the tests.
  private static let contextWords = [
    // OpenAI, vLLM, LiteLLM, llama.cpp, llama-cpp-python.
    "maximum context length", "context length exceeded", "exceeds the available context size", "exceed context window",
    "exceeds the context window", "contextwindowexceedederror", "longer than the maximum model length",
    "too long to fit into the model", "max_tokens must be at least 1, got -",
    // Ollama.
    "exceeded max context length", "exceeds the context length", "exceeds maximum context length",
    // TGI.
    "`inputs` tokens + `max_new_tokens` must be", "`inputs` must have less than",
    // LM Studio.
    "context the overflows", "context overflows", "greater than the context length", "reached context length of",
    "mid-generation context overflow",
    // SGLang, TabbyAPI, Anthropic, Mistral, Google, xAI, Bedrock.
    "longer than the model's context length", "context length is only", "prompt is too long", "input token count",
    "maximum prompt length", "input is too long for requested model", "exceed context limit",
  ]
  /// What servers write before the size of a prompt; the words for a sum come before those for its parts.
  private static let wordsBeforePrompt = [
    "resulted in ", "for a total of at least ", "requested a total of ", "for a total of ", "contains at least ",
    "request (", "requested about ", "requested ", "your request has ", "given: ", "keep the first ", "n_keep: ",
    "got=", "(total length ", "(length ", "the input (", "too long: ", "prompt contains ", "the request contains ",
    "input token count (", "input token count is ", "you passed ", "has ", "(",
  ]
  private static let wordsBeforeContext = [
    "maximum context length is ", "maximum context length of ", "context size (", "context length of only ",
    "context length of ", "context window of ", "must be <= ", "must have less than ", "n_ctx: ", "max input tokens=",
    "maximum model length of ", "(context length ", "context length (", "context length is only ", "tokens > ",
    "for model with ", "number of tokens allowed (", "only supports up to ", "maximum prompt length is ",
  ]

  func isAboutMissingModel(_ model: String, status: Int) -> Bool {
    guard 400..<500 ~= status else { return false }
    if code == "model_not_found" || type == "model_not_found" { return true }
    return status == 404 && (message.lowercased().contains("model") || message.contains(model))
  }

  /// Whether the error says that the server does not take this field of a request.
  func refuses(_ field: String) -> Bool {
    parameter == field || message.contains(field)
  }

  /// Whether the error says that the model's chat template does not take the system role. Templates are written by the
  /// makers of models, so that each has its own words for it.
  var refusesSystemRole: Bool {
    if let parameter, parameter.wholeMatch(of: /messages(\[\d+\]|\.\d+)\.role/) != nil { return true }
    let lowered = message.lowercased()
    // Google, of Gemma.
    if lowered.contains("developer instruction is not enabled") { return true }
    let words = Set(lowered.split { !$0.isLetter })
    let isAboutRoles = words.contains("role") || words.contains("roles")
    if isAboutRoles, words.isSuperset(of: ["user", "assistant"]) { return true }
    guard words.contains("system"),
      isAboutRoles
        || !words.isDisjoint(with: ["message", "messages", "prompt", "prompts", "instruction", "instructions"])
    else { return false }
    return [
      "not support", "n't support", "unsupported", "not allowed", "not permitted", "not enabled", "not available",
      "unexpected", "invalid", "unknown",
    ]
    .contains(where: lowered.contains)
  }

  /// Whether the error demands a field that an earlier answer had.
  var wantsBack: Bool { ["passed back", "is required", "missing"].contains(where: message.lowercased().contains) }

  /// Whether the error says that the server does not stream.
  var refusesStreaming: Bool {
    if parameter == "stream" { return true }
    let lowered = message.lowercased()
    return lowered.contains("stream") && !lowered.contains("stream_options")
      && ["not support", "unsupported", "not allowed", "not permitted", "not available", "must be false", "disabled"]
        .contains(where: lowered.contains)
  }

  /// Whether the error says that the server, or the model's template, takes no tools in OpenAI's way. Each has its own
  /// words for it; a prompt that is too long with its tools is another matter.
  func refusesTools(status: Int) -> Bool {
    guard [400, 404, 422, 500, 501].contains(status), contextError == nil else { return false }
    let words = [message, parameter ?? "", code ?? "", type ?? ""].joined(separator: " ").lowercased()
    if status == 404 { return words.contains("support tool") || words.contains("tool use") }
    return ["tool", "functions", "function call", "function_call", "jinja", "chat template", "roles "]
      .contains(where: words.contains)
  }

  /// llama.cpp's answer while it reads its model.
  var isLoadingModel: Bool { message.lowercased().contains("loading model") }

  /// Whether a refusal is about a missing or wrong key, and not about what its owner may do: the server's words decide.
  func wantsKey(status: Int) -> Bool {
    // LiteLLM without a database knows its master key only, and says this of each other one.
    if type == "no_db_connection" || message.lowercased().contains("no connected db") { return 400..<404 ~= status }
    guard status == 401 || status == 403 else { return false }
    let lowered = message.lowercased()
    let isOfKey = [
      "key", "token", "credential", "authenticat", "authoriz", "bearer", "password", "sign in", "sign-in", "log in",
      "login",
    ].contains(where: lowered.contains)
    let isMissing = [
      "missing", "invalid", "provide", "required", "incorrect", "expired", "malformed", "wrong", "key not found",
      "token not found", "unauthorized", "unauthenticated", "not authenticated", "not valid", "not recognized",
      "unknown", "no api key", "no auth", "must", "need",
    ].contains(where: lowered.contains)
    if isOfKey && isMissing { return true }
    if let type, ErrorBody.permissionTypes.contains(type.lowercased()) { return false }
    if ErrorBody.permissionWords.contains(where: lowered.contains) { return false }
    // A server that says nothing of its own leaves it open.
    return status == 401 || ErrorBody.isBare(lowered)
  }

  private static let permissionTypes: Set = [
    "permission_error", "permissions_error", "permission_denied", "insufficient_permissions", "key_model_access_denied",
    "team_model_access_denied", "org_model_access_denied", "user_model_access_denied", "budget_exceeded",
    "insufficient_quota", "model_not_found",
  ]
  /// Words for what somebody who is known may not do.
  private static let permissionWords = [
    "permission", "not allowed", "not permitted", "not enabled", "disabled", "deactivated", "suspended", "blocked",
    "prohibited", "pending", "administrator", "have access", "access to model", "no access to", "not authorized to",
    "quota", "budget",
  ]

  /// Whether words say no more than the status does.
  private static func isBare(_ lowered: String) -> Bool {
    let rest = lowered.filter { $0.isLetter || $0 == " " }.split(separator: " ")
    let known: Set<Substring> = [
      "forbidden", "access", "denied", "unauthorized", "error", "http", "html", "page", "request", "is", "not",
      "authorized",
    ]
    return rest.allSatisfy(known.contains)
  }

  /// Whether a 429 says that a budget is used up. Waiting for it is in vain; a limit for each minute is another matter.
  var isAboutBudget: Bool {
    let words = [code, type].compactMap { $0?.lowercased() }
    if words.contains(where: { word in ["quota", "budget", "billing", "credit"].contains(where: word.contains) }) {
      return true
    }
    let lowered = message.lowercased()
    guard
      !["per minute", "per second", "per hour", "/min", "rpm", "tpm", "retry in", "try again in", "retry after"]
        .contains(where: lowered.contains)
    else { return false }
    return [
      "budget", "quota", "insufficient", "billing", "out of credits", "no credits", "credit balance", "spending limit",
    ]
    .contains(where: lowered.contains)
  }

  /// The number that directly follows the first of these phrases that has one.
  private static func number(in text: String, after phrases: [String]) -> Int? {
    for phrase in phrases {
      for range in text.ranges(of: phrase) {
        let digits = text[range.upperBound...].prefix { $0.isASCII && $0.isNumber }
        if let number = TokenCount.read(digits) { return number }
      }
    }
    return nil
  }
}
