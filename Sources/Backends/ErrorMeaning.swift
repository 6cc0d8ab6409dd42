import Chat

extension ErrorBody {
  /// The error when it is that the prompt does not fit; each server has its own words for it. A rate limit may count
  /// the tokens of prompts too, and is another error.
  var contextError: BackendError? {
    let lowered = allMessages
    guard code != "429",
      allCodes.contains(where: ErrorBody.contextCodes.contains)
        || ErrorBody.contextWords.contains(where: lowered.contains)
    else { return nil }
    let context = contextTokens ?? ErrorBody.number(in: lowered, after: ErrorBody.wordsBeforeContext)
    let prompt = promptTokens ?? ErrorBody.number(in: lowered, after: ErrorBody.wordsBeforePrompt)
    // A prompt that would fit is another number, such as a part of it.
    let isTooLong = if let prompt, let context { prompt > context } else { true }
    return .contextExceeded(message: message, promptTokens: isTooLong ? prompt : nil, contextTokens: context)
  }

  /// The messages of the error and of the gateways around it, in lower case.
  private var allMessages: String { ([message] + outerMessages).joined(separator: "\n").lowercased() }

  /// The codes and types of the error and of the gateways around it, in lower case.
  private var allCodes: [String] { ([code, type].compactMap { $0 } + outerCodes).map { $0.lowercased() } }

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
    "longer than the model's context length", "context length is only", "prompt is too long", "input token count (",
    "input token count is", "input token count exceeds", "maximum prompt length is",
    "input is too long for requested model", "exceed context limit",
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
  func refusesSystemRole(status: Int) -> Bool {
    guard [400, 404, 422, 500, 501].contains(status), contextError == nil else { return false }
    let lowered = message.lowercased()
    // Google, of Gemma.
    if lowered.contains("developer instruction is not enabled") { return true }
    let isOfTemplate = ["template", "jinja", "raise_exception", "system role", "roles must alternate"]
      .contains(where: lowered.contains)
    // Any fault of a server may have words such as `system` and `message`.
    guard isOfTemplate || [400, 422].contains(status) else { return false }
    let places = [parameter ?? "", lowered].flatMap { $0.matches(of: /messages(?:\[|\.)([0-9]+)\]?\.role/) }
    // The system prompt is the first message.
    if let place = places.first { return place.output.1 == "0" }
    let words = Set(lowered.split { !$0.isLetter })
    let isOfRoles = words.contains("role") || words.contains("roles")
    // Mistral's check of the last message names these roles too.
    if isOfRoles, words.isSuperset(of: ["user", "assistant"]) { return !lowered.contains("last role") }
    let refusals =
      [
        "not support", "n't support", "unsupported", "not allowed", "not permitted", "not enabled", "not available",
      ] + (isOfRoles ? ["unexpected", "invalid", "unknown", "not a valid"] : [])
    let named =
      #/
      \bsystem['"`]?\h(?:role|message|prompt|instruction) | \brole:?\h?['"`]?system\b | ['"`]system['"`]
      /#
    return refusals.contains(where: lowered.contains) && lowered.contains(named)
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

  /// Whether the error reports a missing or invalid key rather than a missing permission.
  func reportsInvalidKey(status: Int) -> Bool {
    let lowered = allMessages
    // LiteLLM without a database knows its master key only, and says this of each other one.
    if type == "no_db_connection" || lowered.contains("no connected db") { return 400..<404 ~= status }
    guard status == 401 || status == 403 else { return false }
    if allCodes.contains(where: ErrorBody.permissionTypes.contains) { return false }
    if allCodes.contains(where: ErrorBody.keyCodes.contains) || ErrorBody.namesInvalidKey(lowered) { return true }
    if status == 401 && ErrorBody.namesDisabledKey(lowered) { return true }
    if ErrorBody.permissionWords.contains(where: lowered.contains)
      || lowered.contains(/access to (?:(?:this|that|the) )?(?:model|resource|project|organization|feature|endpoint)/)
    {
      return false
    }
    if ErrorBody.authenticationWords.contains(where: lowered.contains) { return true }
    // The status decides if the message has nothing of its own.
    return status == 401 || ErrorBody.isBare(lowered)
  }

  /// Whether a message has a word such as `invalid` beside a word such as `key`, and does not go on about a scope of it.
  private static func namesInvalidKey(_ lowered: String) -> Bool {
    // invalid API key
    let before =
      #/
      \b(?:missing|invalid|incorrect|expired|malformed|wrong|unknown|unrecognized|bad|no)
      (?:[\h\-'"`]+(?!(?:for|of|with|to|on|by|in|permissions?|scopes?)\b|access\b(?!\h(?:key|token)))[a-z0-9]+){0,3}?
      [\h\-'"`]+(?:key|token|credential|authentication|authorization|auth|bearer|password)s?\b
      (?!['"`]?(?:\h[a-z]+){0,1}\h(?:permission|scope|role|access|privilege))
      /#
    // The key is invalid
    let behind =
      #/
      \b(?:key|token|credential|authentication|authorization|bearer|password|session|login)s?\b['"`]?
      (?:\h(?:is|was|were|are|has|have|been|header|provided|supplied|passed|in|the|request|or|could|cannot|can|be|you))*
      [\h:]+(?:missing|invalid|incorrect|expired|malformed|wrong|unknown|unrecognized|required
      |not\h(?:found|valid|recogni[sz]ed|provided|set|present|supplied))\b
      (?!\h(?:[a-z]+\h){0,2}(?:permission|scope|role|access|privilege))
      /#
    // provide an API key
    let wanted =
      #/
      \b(?:provide|supply|include|specify|pass|need|requires?)\h
      (?:(?:your|an|a|the|valid|api|access|bearer|auth)[\h\-])*
      (?:key|token|credential|authorization\hheader)s?\b(?!\h(?:with|that|which|whose|for)\b)
      /#
    return lowered.contains(before) || lowered.contains(behind) || lowered.contains(wanted)
  }

  private static func namesDisabledKey(_ lowered: String) -> Bool {
    let pattern =
      #/
      \b(?:key|token|credential)s?\b(?:\h(?:is|was|are|has|have|been|currently))*
      \h(?:revoked|disabled|deactivated|blocked|suspended|inactive)\b
      /#
    return lowered.contains(pattern)
  }

  private static let keyCodes: Set = [
    "invalid_api_key", "missing_api_key", "invalid_token", "token_expired", "authentication_error", "unauthenticated",
  ]
  private static let authenticationWords = [
    "unauthenticated", "not authenticated", "authentication failed", "authentication error", "authenticationerror",
    "authentication required", "must authenticate", "sign in", "sign-in", "log in", "login required",
  ]
  private static let permissionTypes: Set = [
    "permission_error", "permissions_error", "permission_denied", "insufficient_permissions", "key_model_access_denied",
    "team_model_access_denied", "org_model_access_denied", "user_model_access_denied", "budget_exceeded",
    "insufficient_quota", "model_not_found",
  ]
  /// Phrases that report a missing permission.
  private static let permissionWords = [
    "permission", "not allowed", "not permitted", "not enabled", "disabled", "deactivated", "suspended", "blocked",
    "prohibited", "pending", "administrator", "have access", "access to model", "no access to", "not authorized to",
    "quota", "budget",
  ]

  /// Whether the message only repeats the status.
  private static func isBare(_ lowered: String) -> Bool {
    let rest = lowered.filter { $0.isLetter || $0 == " " }.split(separator: " ")
    let known: Set<Substring> = [
      "forbidden", "access", "denied", "unauthorized", "error", "http", "html", "page", "request", "is", "not",
      "authorized",
    ]
    return rest.allSatisfy(known.contains)
  }

  /// Whether a 429 says that a budget is used up. Not retried. Per-minute limits are.
  var isAboutBudget: Bool {
    let lowered = allMessages
    let isTransient =
      [
        "per minute", "per second", "per hour", "/min", "retry in", "retry after", "again in", "again later",
        "right now",
      ]
      .contains(where: lowered.contains) || lowered.contains(/\b(?:rpm|tpm)\b/)
    if isTransient { return false }
    if allCodes.contains(where: { ErrorBody.budgetCodes.contains($0) || $0.hasPrefix("billing_") }) { return true }
    return ErrorBody.budgetWords.contains(where: lowered.contains)
      || lowered.contains(/(?:insufficient|not enough) (?:[a-z]+ )?(?:quota|credit|balance|fund)/)
      || lowered.contains(/exceeded your (?:[a-z]+ )?(?:quota|budget|credit)/)
  }

  private static let budgetCodes: Set = [
    "insufficient_quota", "budget_exceeded", "insufficient_balance", "insufficient_credits", "insufficient_user_quota",
    "exceeded_current_quota_error",
  ]
  private static let budgetWords = [
    "budget has been exceeded", "exceededbudget", "budget exceeded", "exceeded budget", "over budget", "max budget",
    "monthly quota", "monthly limit", "plan and billing", "out of credits", "no credits", "credit balance",
    "spending limit", "billing hard limit",
  ]

  /// The number that directly follows the first of these phrases that has one.
  private static func number(in text: String, after phrases: [String]) -> Int? {
    for phrase in phrases {
      for range in text.ranges(of: phrase) {
        // Some servers separate groups of three digits.
        guard let match = text[range.upperBound...].prefixMatch(of: /[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+/) else {
          continue
        }
        if let number = TokenCount.read(match.output.filter { $0 != "," }[...]) { return number }
      }
    }
    return nil
  }
}
