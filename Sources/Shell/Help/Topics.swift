/// The pages that are not commands or settings.
package enum Topics {
  /// In the order of the man page, where each is a section.
  package static let all = [
    lines, keys, tools, signIn, certificates, editors, exitCodes, environment, files, json, schema,
  ]

  package static let keys = Topic(
    "keys", "the keys of the line editor", example: "Ctrl-R capital     finds the last line with \"capital\" in it",
    rows: [
      .init("Enter", "send the line"),
      .init("Ctrl-J, Alt-Enter", "a new line in the message"),
      .init("Up, Down", "lines of the message; then earlier lines, of all runs"),
      .init("Right, Alt-Right", "take the line that is shown in grey, or a word of it"),
      .init("Ctrl-R", "search earlier lines; Esc takes one, Ctrl-G leaves it"),
      .init("Tab", "complete commands, models, sessions, settings, files"),
      .init("Ctrl-C", "stop an answer (what came is kept), or clear what is typed"),
      .init("Ctrl-D", "leave, at an empty prompt"),
      .init("Ctrl-Z", "suspend; fg comes back to the same line"),
      .init("Ctrl-X Ctrl-E", "edit the line in $VISUAL or $EDITOR"),
      .init("Ctrl-A, Home", "the start of the line"),
      .init("Ctrl-E, End", "its end; there, take what is shown in grey"),
      .init("Alt-B, Alt-F", "a word back, forward"),
      .init("Ctrl-W, Ctrl-U", "delete a word, the line up to the cursor"),
      .init("Ctrl-K, Ctrl-Y", "delete to the end of the line, put back"),
      .init("Ctrl-_", "undo"),
      .init("Ctrl-L", "clear the screen"),
    ],
    notes: [
      "A paste is one edit, whatever it contains; Enter sends it. What you type while an answer streams is kept for "
        + "the next prompt. It never answers a question that was not there yet, and a prompt for a password or token "
        + "discards it.",
      "A line that could not be understood is put back to be mended; a / typed first begins anew in its place.",
      "/settings editing vi gives vi keys, whose lines are those of the message (dd, o, J, p, f, . and u too); ~/.editrc "
        + "is read.",
    ])

  package static let tools = Topic(
    "tools", "what models may use, and who decides", example: "/tools on web_search     offers it with each message",
    rows: [
      .init("/tools", "lists the tools there are; [x] are chosen"),
      .init("/tools on NAME", "chooses a tool, or a server with all that it has; off no longer does"),
      .init("/tools remember on", "chooses the same ones in each new session"),
      .init("/tools on terminals", "lets a model use your terminals, asking for each command"),
      .init("/tools add NAME URL", "adds a tool server that speaks MCP"),
      .init("/tools add NAME -- COMMAND", "adds a program of this machine that does"),
      .init("/tools login NAME", "signs in to a tool server"),
      .init("/tools prompt SERVER:NAME", "sends a text that a server has ready"),
      .init("@SERVER:URI", "in a message, attaches what a server has to read"),
      .init("-T NAME, --no-tools", "chooses for one run; nothing of it is remembered"),
    ],
    notes: [
      "A platform's own tool servers are there when you are connected to it. Each call is shown and asked about "
        + "before it is made; /settings tools.approval says otherwise. What a server says of its tools is its own word.",
      "A program runs with your rights. It is given HOME, PATH, the language and the like, and the variables that "
        + "--env names when it is added. Where nobody can be asked, tools that were remembered are offered only when "
        + "they may run unasked.",
    ])

  package static let signIn = Topic(
    "sign-in", "how to sign in, and where that is kept", example: "/login anna     asks for the password, unseen",
    rows: [
      .init("/login", "asks for a user name and password; Enter alone for a token or a provider"),
      .init("/login USER --password-stdin", "reads the password from standard input, for scripts"),
      .init("/login --token-stdin", "reads a token from standard input; --token-file FILE from a file"),
      .init("/login --with PROVIDER", "signs in on a page in the browser"),
      .init("/whoami", "who you are, with which roles, until when"),
      .init("/logout", "revokes this device's token, signs out, and forgets"),
    ],
    notes: [
      "A device that is remembered gets a token of its own, which the server lists and can revoke. Otherwise the "
        + "sign-in is renewed while it lasts. A server that wants you to sign in asks for it, and what you wanted is "
        + "then done.",
      "It is kept in the desktop's keyring (docker-credential-secretservice or secret-tool), else in credentials.json, "
        + "which only you can read and which is not encrypted. /settings credential-store chooses.",
      "A password or token is never taken from the command line. PARLEY_TOKEN and KAMIWAZA_API_KEY are (/help "
        + "environment). One that is refused is asked for again. A key that is typed as a message is sent only after a "
        + "question.",
    ])

  package static let certificates = Topic(
    "certificates", "which servers are trusted", example: "/server trust lab ~/lab-ca.pem     believes an authority",
    rows: [
      .init("the system's", "are believed silently"),
      .init("others", "are shown, and trusted by the word yes, for one host and port"),
      .init("changed ones", "are refused, shown beside the old one, and trusted by the words trust new"),
      .init("/server trust", "lists them, and who vouched for them"),
      .init(
        "/server trust SERVER PROOF",
        "trusts without asking: PROOF is the SHA-256 fingerprint that it must have, or a "
          + "file of certificates (PEM) of an authority"),
      .init("/server forget-trust SERVER", "asks again next time"),
    ],
    notes: [
      "Nothing is sent before a certificate is trusted, and the check is made on the very connection that is used. "
        + "Without a terminal nobody is asked: the exit status is 6, and the message has the command that would trust it.",
      "They are kept in known_servers, a line for each host and port, which may be edited.",
    ])

  package static let editors = Topic(
    "editors", "parley as the agent of an editor",
    example: #""agent_servers": {"parley": {"command": "parley", "args": ["--acp"]}}"#,
    rows: [
      .init("parley --acp", "is what the editor starts; it speaks the Agent Client Protocol"),
      .init("-s NAME, -m NAME", "behind it choose a server and a model, as everywhere"),
      .init("--set KEY=VALUE", "sets what /settings knows, for what that editor starts"),
      .init("--private", "keeps nothing of its sessions"),
      .init("/model, /tools, /retry …", "are typed in the editor too; it lists those there are"),
      .init("parley --acp /login", "signs in, on a terminal"),
    ],
    notes: [
      "The example is for the settings of Zed; others that speak the protocol have a like place. The models are those of "
        + "any server that parley talks with, the tools those of parley and those that the editor hands on. Model, server "
        + "and whether tools run unasked are chosen in the editor, for the session; each call is otherwise asked about there.",
      "Sessions are kept in the history as others are: /history lists them, and the editor can load any of them.",
    ])

  package static let exitCodes = Topic(
    "exit-codes", "what the exit status says", example: #"parley "2+2?" || echo "status $?""#,
    rows: ExitStatus.allCases.map { .init("\($0.rawValue)", $0.meaning) }
      + [.init("129", "the terminal went away"), .init("143", "terminated")],
    notes: ["With several lines (-c, -f) it is the status of the first that failed."])

  package static let environment = Topic(
    "environment", "the variables that are read", example: "PARLEY_SERVER=http://gpu1:8000 parley \"hello\"",
    rows: [
      .init("PARLEY_SERVER", "the server, a name or an address (--server wins)"),
      .init("PARLEY_MODEL", "the model (--model wins)"),
      .init("PARLEY_CALLBACK_PORT", "where a browser comes back to after a sign-in at a chat-ui server"),
      .init("PARLEY_TOKEN", "the key for PARLEY_SERVER, else for the server this run starts with"),
      .init("PARLEY_HOME", "one folder for all files"),
      .init("KAMIWAZA_BASE_URL, KAMIWAZA_BASE_URI", "the server, when PARLEY_SERVER is not set"),
      .init(
        "KAMIWAZA_API_KEY, KAMIWAZA_API_TOKEN",
        "the token for KAMIWAZA_BASE_URL, else for the server this run starts with"),
      .init(
        "KAMIWAZA_RUNTIME_BASE_URL, KAMIWAZA_PUBLIC_API_URL",
        "where a platform's models are, when not at its own address; a sign-in goes there only with your leave"),
      .init("KAMIWAZA_USE_HTTPS", "false: its models speak plain http"),
      .init("OPENAI_BASE_URL", "the server, when neither of those is set"),
      .init("OPENAI_API_KEY", "the key for OPENAI_BASE_URL, or api.openai.com; it is sent nowhere else"),
      .init("NO_COLOR", "no colour"),
      .init("COLORFGBG", "the terminal's own colours, by which theme auto goes"),
      .init("TERM_PROGRAM, LC_TERMINAL, KITTY_WINDOW_ID", "which terminal it is: whether images are drawn"),
      .init("TERM=dumb", "no colour, no redrawing"),
      .init("ACCESSIBLE=1", "no redrawing"),
      .init("VISUAL, EDITOR", "the editor of Ctrl-X Ctrl-E"),
      .init("PAGER", "what shows text longer than the screen, else less; cat or nothing: none (/help pager)"),
      .init("SHELL", "what runs !command"),
      .init("BROWSER", "what shows a page of the web, else xdg-open"),
      .init("http_proxy, https_proxy, all_proxy, no_proxy", "as everywhere; this machine is asked straight"),
      .init("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME", "where files live"),
    ],
    notes: [
      "A key goes over https, and over plain http to this machine only: for another, /server allow http://HOST:PORT lets "
        + "it."
    ])

  package static let files = Topic(
    "files", "what is kept where", example: "PARLEY_HOME=/tmp/try parley      leaves your own files alone",
    rows: [
      .init("$XDG_CONFIG_HOME/parley/preferences.json", "settings, yours to edit"),
      .init("$XDG_CONFIG_HOME/parley/parleyrc", "lines run at each start"),
      .init("$XDG_DATA_HOME/parley/history.sqlite", "sessions, answers, lines"),
      .init("$XDG_DATA_HOME/parley/servers.json", "servers and their models"),
      .init("$XDG_DATA_HOME/parley/tools.json", "tool servers that you added"),
      .init("$XDG_DATA_HOME/parley/permissions.json", "tools that you allowed"),
      .init("$XDG_DATA_HOME/parley/snippets.json", "snippets that you keep"),
      .init("$XDG_DATA_HOME/parley/known_servers", "trusted certificates, a line each"),
      .init("$XDG_DATA_HOME/parley/credentials.json", "sign-ins, where there is no keyring"),
      .init("$XDG_STATE_HOME/parley/drafts", "lines that were not sent when their terminal went away"),
      .init("$XDG_CACHE_HOME/parley", "lists of /browse for when the server is away"),
    ],
    notes: [
      "Without these variables the folders are ~/.config/parley, ~/.local/share/parley, ~/.local/state/parley and ~/.cache/parley. All files are readable by "
        + "you alone. One that others could have written is not used: /doctor says why, and what fixes it. /about shows the paths in use."
    ])

  package static let json = Topic(
    "json", "the objects of --json and --jsonl", example: #"parley --json "2+2?" | python3 -m json.tool"#,
    rows: [
      .init(
        "--json",
        "prints one object: text, reasoning, status, model, server, session, turn, usage (promptTokens, "
          + "completionTokens, cost), timing (firstTokenMs, totalMs), toolCalls; a failure adds error (code, message, hint)"
      ),
      .init(
        "--jsonl",
        "prints one object a line with \"event\": start, text, reasoning, toolCall, toolResult, notice, usage, "
          + "finish (the object above)"),
    ],
    notes: [
      "status is complete, interrupted, cut-off, stalled, length, filtered or failed.",
      "Each of toolCalls has id, name (as the model wrote it), arguments, tool (its own name), server, status (done, "
        + "failed, refused, invalid, unavailable, timed-out, cancelled, unreported), result (what the model was told), isError "
        + "and milliseconds. toolCall comes when a model asks, toolResult when it is told.",
      "Listing commands print an array of objects: /history --json",
    ])

  package static let schema = Topic(
    "schema", "answers that fit a JSON Schema", example: #"parley --schema person.json "Invent a person" | jq .age"#,
    rows: [
      .init("--schema FILE", "sends the schema with each message, and checks each answer against it"),
      .init("exit status 7", "the answer is no JSON, or does not fit: the message says where, and why"),
    ],
    notes: [
      #"Such a file: {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}, "required": ["#
        + #""name", "age"]}"#,
      "Servers that know response_format keep to it while they write (llama.cpp, vLLM, Ollama, LM Studio); others may "
        + "write what they like, and then the check fails.",
      "Checked is what draft 2020-12 asserts, but for unevaluated… and references to other files. Ctrl-C ends a check.",
      #"Patterns are those of ECMA-262, but that \s is of ASCII as \d and \w are, \p{Letter} is written \p{L}, a "#
        + "look-behind has one length, and what a group found outlives its repeat.",
    ])

  package static let lines = Topic(
    "lines", "what a line means", example: "/etc/hosts is empty, why?     is sent: its first word is a path",
    rows: [
      .init("text", "a message"),
      .init("/name", "a command: its name, or the start of it when unambiguous"),
      .init("//text", "sends text that starts with a slash"),
      .init("a leading space", "sends the line as it is and keeps it out of recall"),
      .init(#"""" ... """"#, #"a message of several lines; so does a \ at the end"#),
      .init("@FILE", "in a message, sends the file along; @'my file' with blanks"),
      .init("!command", "runs a command in your shell"),
      .init("!!command", "runs it and attaches its output to the next message"),
      .init("# text", "in a script, a remark"),
    ],
    notes: ["A word after / that is no command is never sent: it comes back to edit."])
}

extension ExitStatus {
  /// What a script may conclude from it (docs/shell.md 2).
  package var meaning: String {
    switch self {
    case .success: "answer complete, command done"
    case .failure: "other failure"
    case .usage: "wrong usage, bad setting, unknown command, model, session or server"
    case .scriptStopped: "a script stopped on an error (on-error stop)"
    case .signIn: "sign-in needed, refused or expired"
    case .unreachable: "cannot reach the server: name, connection, proxy, first time-outs"
    case .untrusted: "certificate not trusted, or changed"
    case .refused:
      "the server refused or failed (4xx but for sign-in, 5xx, rate limit), or the answer does not fit --schema"
    case .cutOff: "the answer was cut off: no end mark, unknown finish reason, unreadable data, or stalled"
    case .endedEarly: "the server ended it early: length or filter (--lenient makes it 0)"
    case .storeUnusable: "the local store cannot be used"
    case .interrupted: "interrupted"
    case .readerGone: "the reader went away"
    }
  }
}
