import Testing

@testable import Shell

@Suite struct NearestTests {
  private let names = ["model", "models", "help", "history", "quit", "retry"]

  @Test(arguments: [
    ("modle", ["model"]), ("histroyy", ["history"]), ("quti", ["quit"]), ("hsitory", ["history"]), ("retyr", ["retry"]),
    ("xyzzy", []),
    ("", []), ("edit", []), ("pin", []), ("hepl", ["help"]), ("MODEL", ["model", "models"]),
  ]) func `what was meant is the nearest`(word: String, nearest: [String]) {
    #expect(Nearest.words(to: word, among: names) == nearest)
  }

  @Test func `a part of a name is near when nothing else is`() {
    #expect(Nearest.words(to: "coder", among: ["qwen2.5-coder-7b-instruct", "smol"]) == ["qwen2.5-coder-7b-instruct"])
  }

  @Test func `there are never more than three`() {
    #expect(Nearest.words(to: "ax", among: ["aa", "ab", "ac", "ad", "ae"]).count == 3)
  }

  @Test func `upper and lower case are the same`() {
    #expect(Nearest.words(to: "MODLE", among: ["model"]) == ["model"])
  }
}

@Suite struct LineRequestTests {
  @Test func `what was put back and cannot be mended is taken by Enter alone`() {
    let request = LineRequest(prompt: [], initial: "/conect x")
    #expect(request.whole("") == "/conect x")
    #expect(request.whole("2") == "2")
    #expect(request.whole("/connect y") == "/connect y")
  }
}

@Suite struct LineAssemblyTests {
  private func whole(_ lines: String...) -> [String] {
    var assembly = LineAssembly()
    let taken = lines.compactMap { assembly.take($0) }
    return taken + [assembly.flush()].compactMap { $0 }
  }

  @Test func `a line is whole by itself`() {
    #expect(whole("one", "", "two") == ["one", "", "two"])
  }

  @Test func `a backslash at the end joins the next line`() {
    #expect(whole("one \\", "two") == ["one \ntwo"])
    #expect(whole("a\\", "b\\", "c", "d") == ["a\nb\nc", "d"])
  }

  @Test func `two backslashes at the end are two backslashes`() {
    #expect(whole(#"C:\\"#, "x") == [#"C:\\"#, "x"])
  }

  @Test func `a fence holds lines together as a message`() {
    #expect(whole("\"\"\"", "/quit", "  two", "\"\"\"", "after") == [" /quit\n  two", "after"])
    #expect(whole("\"\"\"one", "two\"\"\"") == [" one\ntwo"])
    #expect(whole("\"\"\"one\"\"\"") == [" one"])
    #expect(whole("\"\"\"", "a\\", "b", "\"\"\"") == [" a\\\nb"])
  }

  @Test func `what is open at the end is not lost`() {
    #expect(whole("\"\"\"", "one") == [" one"])
    #expect(whole("one\\") == ["one"])
  }

  @Test func `clearing forgets it`() {
    var assembly = LineAssembly()
    #expect(assembly.take("\"\"\"") == nil)
    #expect(assembly.isOpen)
    assembly.clear()
    #expect(!assembly.isOpen)
    #expect(assembly.take("x") == "x")
  }
}

@Suite struct FenceTests {
  @Test func `a fence is longer than any in the text`() {
    #expect(Fence.around("x") == "```\nx\n```")
    #expect(Fence.around("x\n") == "```\nx\n```")
    #expect(Fence.around("x\r\n") == "```\nx\r\n```")
    #expect(Fence.around("a ``` b") == "````\na ``` b\n````")
    #expect(Fence.around("`````", label: "$ cat") == "$ cat\n``````\n`````\n``````")
    #expect(Fence.around("") == "```\n\n```")
  }
}

@Suite struct LikelySecretTests {
  private static let ending = "0123456789abcdefghij"

  @Test(arguments: [
    "my key is sk-\(ending)", "export KEY=sk-\(ending)", #"KEY="ghp_\#(ending)""#, "curl --token=hf_\(ending)",
    #"{"key":"glpat-\#(ending)"}"#, "Authorization: Bearer eyJ\(ending)", "AKIA0123456789ABCDEF",
    "curl -H x-api-key:sk-\(ending)", "see https://h/v?key=AIza\(ending)&alt=json", "http://me:word@gpu1/v1",
    "token \(ending)\(ending)", "password: tr0ub4dor", "PGPASSWORD=tr0ub4dor psql", "my OPENAI_API_KEY= short",
    #"{"user": "me", "password": "tr0ub4dor"}"#, "curl https://h/v?user=me&password=tr0ub4dor",
  ]) func `a line with a key in it is not recalled`(line: String) {
    #expect(LikelySecret.isLikely(in: line))
  }

  @Test(arguments: [
    "what is a sk-learn pipeline?", "why (x = [1, 2, 3]) fails", "see https://example.com/a?b=c", "eyJ is no key",
    "the-quick-brown-fox-jumps-over-the-lazy-dog", "pull image@sha256:0123456789abcdef0123456789abcdef01234567",
    #"{"id":"550e8400-e29b-41d4-a716-446655440000"}"#, "https://h/mcp?workspace=550e8400-e29b-41d4-a716-446655440000",
    "f(my_long_function_name_version_2_of_it)", "ASIA-pacific-gateway", "sk_learn_pipeline", "xoxoxoxoxoxoxoxo",
    "how long should a password be?", "the field is called password:", "def f(password, key): pass",
  ]) func `other lines are`(line: String) {
    #expect(!LikelySecret.isLikely(in: line))
  }
}

@Suite struct SecretLineTests {
  private static let ending = "0123456789abcdefghij"

  @Test(arguments: [
    "sk-\(ending)", " sk-\(ending)\n", "\"sk-\(ending)\"", "Bearer eyJ\(ending)", "key: sk-\(ending)",
    "export OPENAI_API_KEY=short", "password: tr0ub4dor", "\u{FEFF}ghp_\(ending)", "anna\nglpat-\(ending)",
    "zz\(ending)\(ending)", "http://me:word@gpu1/v1", "sk-1234", "'sk-Canary/Zq7+9aLm3xTy'",
    "r8_Ab3dEf6hIj9lMn2pQr5tUv",
    "Authorization: Bearer abcdef1234567890abcdef", "Basic dXNlcjpwYXNzd29yZDEyMw==", "token abcdef1234567890",
    "csk-AbCd1234EfGh5678", "ya29.a0AfH6SMBx1234", "SG.abcdefghijklmnop.qrst", "tgp_v1_AbCd1234EfGh", "xai-\(ending)",
    "sk-pro\u{200B}j-Ab3dEf6hIj9lMn2p", "\u{2060}Bearer eyJ\u{AD}\(ending)", "sk-abcdefghijklmnop\nqrstuv\r\nwxyz",
    "export A_API_KEY=x\nexport B_API_KEY=y\nexport C_API_KEY=z\n# all",
  ]) func `a line that is hardly more than a key needs a question`(line: String) {
    #expect(LikelySecret.isWhole(line))
  }

  @Test(arguments: [
    "hello", "0123456789abcdef0123456789abcdef01234567", "550e8400-e29b-41d4-a716-446655440000",
    "show 0123456789abcdef0123456789abcdef01234567", "why does sk-\(ending) fail?", "git clone ssh://git@host/x",
    "reset password: how?", "", "sk-learn", "sk-1", "token economics", "Basic internationalization", "basic algebra2",
    "what-is-internationalization", "MyClassNameIsRatherLong", "a_snake_case_name_of_2024", "https://Host/Path/2024/x",
    "sk-learn\npandas\nnumpy", "550E8400-e29b-41d4-a716-446655440000",
  ]) func `other messages need none`(line: String) { #expect(!LikelySecret.isWhole(line)) }

  @Test(arguments: [
    "download Qwen3-Coder-30B-A3B-Instruct-Q4_K_M", "Qwen3-Coder-30B-A3B-Instruct-Q4_K_M",
    "DeepSeek-R1-Distill-Qwen-32B-AWQ", "explain test_user_login_redirects_v2_when_expired",
    "fix TestParseHTTPRequestWithChunkedEncoding2", "ISO8601DateTimeFormatterBuilder",
    "explain SHA256withRSAandMGF1Padding2048bits", "explain CVE-2024-3094-xz-utils-backdoor-analysis",
    "kubernetes-1-29-release-notes-and-changes", "0x1f98431c8ad98523631ae4a59f267346ea31f984",
    "hf_hub_download_retries", "sk-learn-pandas-numpy tips", "pk-identifier-columns explained",
    "def f(password=None):", "api_key=None", "password=\"\"", "API_KEY=$OPENAI_API_KEY", "api_key: str",
  ]) func `names of models, tests and placeholders are not secrets`(line: String) {
    #expect(!LikelySecret.isWhole(line) && !LikelySecret.isLikely(in: line))
  }

  @Test(arguments: [
    "s3cret", "correct_horse", "Tr0ub4dor&3", "hunter2!", "qwErty", "p@ssword", "key=", "correct-horse-battery-staple",
  ])
  func `one word that is written like a password may be one`(line: String) {
    #expect(LikelySecret.mayBePassword(line))
  }

  @Test(arguments: [
    "hello", "Hello!", "don't", "well-known", "42", "really?!", "e.g.", "go", "GPU", "a b1", "/retry", "https://a.b/c1",
    "",
  ]) func `a plain word is not a password`(line: String) { #expect(!LikelySecret.mayBePassword(line)) }

  @Test(arguments: [
    ("sk-\(ending)", "sk-… (23 characters)"), ("s3cret", "… (6 characters)"),
    ("my key is sk-\(ending) ok", "my key is sk-… (23 characters) ok"),
    ("password: tr0ub4dor", "password: … (9 characters)"), ("API_KEY=short x", "… (13 characters) x"),
    ("KEY=\"sk-\(ending)\" x", "… (29 characters) x"), ("Bearer abcdef1234567890 x", "Bearer … (16 characters) x"),
    ("Authorization: Bearer abcdef1234567890", "Authorization: Bearer … (16 characters)"),
    ("sk-1234", "sk-… (7 characters)"),
    ("sk-ant-api03-AbCdEfGh\n  IjKlMnOp\r\nQrSt x", "sk-… (29 characters) QrSt x"),
    ("sk-a\u{200B}bcdefghijklmnopq x", "sk-… (20 characters) x"),
  ]) func `a question shows a secret masked`(line: String, masked: String) {
    #expect(LikelySecret.masked(line) == masked)
  }

  @Test func `a question leaves what was typed ahead, and a secret discards it`() {
    #expect(LineRequest(prompt: []).typedAhead == .accepted)
    #expect(LineRequest(prompt: [], isQuestion: true).typedAhead == .left)
    #expect(LineRequest(prompt: [], isSecret: true, isQuestion: true).typedAhead == .discarded)
  }
}

@Suite struct AgeTests {
  @Test(arguments: [
    (0, "now"), (59, "now"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_399, "23 h"), (86_400, "1 d"),
    (86_400 * 14 - 1, "13 d"), (86_400 * 14, "2 wk"), (86_400 * 365, "1 y"), (86_400 * 800, "2 y"), (-5, "now"),
  ]) func `an age is said in its largest unit`(seconds: Int, text: String) {
    #expect(age(of: 0, at: seconds * 1000).string == text)
  }
}
