import Foundation
import TestSupport
import Testing

@testable import Shell

@Suite struct ShellFillingTests {
  private func line(_ text: String, _ values: [String: String] = ["x": "a'b\\ \"$(c)"]) throws -> String {
    try ShellFilling.line(Template(text)) { ShellFilling.quoted(values[$0] ?? "") }
  }

  private static let value = #"'a'\''b'\\' "$(c)'"#

  @Test(arguments: [
    ("echo ${x}", "echo \(value)"), (#"echo "${x}""#, #"echo ""\#(value)"""#), ("echo '${x}'", "echo ''\(value)''"),
    (#"echo "$(cat "${x}" ${x})""#, #"echo "$(cat ""\#(value)"" \#(value))""#), (#"a\\${x}"#, #"a\\\#(value)"#),
    (#"echo "\"${x}""#, #"echo "\""\#(value)"""#), ("echo $HOME ${x}", "echo $HOME \(value)"),
    ("cat <<<${x}", "cat <<<\(value)"), ("a#${x}", "a#\(value)"), ("echo $${HOME} ${x}", "echo ${HOME} \(value)"),
    ("docker run \\\n  --name ${x}", "docker run \\\n  --name \(value)"),
    ("# note's\necho ${x}", "# note's\necho \(value)"),
    ("case ${x} in a) echo ${x};; esac", "case \(value) in a) echo \(value);; esac"),
    ("a 2>&1 ${x} >${x}", "a 2>&1 \(value) >\(value)"), ("(cd ${x})", "(cd \(value))"),
  ]) func `a value is quoted by where it stands`(text: String, expected: String) throws {
    #expect(try line(text) == expected)
  }

  @Test(arguments: [
    "echo `cat ${x}`", #"echo "`cat ${x}`""#, "echo $((${x} + 1))", "((${x}))", "cat <<E\n${x}\nE", "echo # ${x}",
    #"echo \${x}"#, #""$(case a in a) echo "${x}";; esac)""#, "echo $'${x}'", "echo $[${x}]", "echo $${a:-${x}}",
    "echo $${a:-'} ${x}", "echo `a` ${x}", "tr '\\' / ${x}", "cat <\\\n<E\n${x}\nE", "echo a\\\n#'b\n${x}'",
    "echo (# ${x}", "a >&2${x}", "a >& \t${x}", "a <&'${x}'", "$(ca\\\nse a in a) echo ${x})",
  ]) func `where that is not certain there is no value`(text: String) {
    #expect(throws: ShellFilling.UnsafePlace(name: "x")) { try line(text) }
  }

  @Test func `shells that quote in other ways are not asked`() {
    for shell in ["/bin/sh", "/usr/bin/fish", "zsh", "/bin/bash"] { #expect(ShellFilling.knows(shell)) }
    for shell in ["/bin/csh", "/usr/bin/nu", "/usr/bin/pwsh", "", "/bin/"] { #expect(!ShellFilling.knows(shell)) }
  }

  @Test func `a word stands as it is where every shell reads it so`() {
    #expect(ShellFilling.word("--format=%h") == "--format=%h")
    #expect(
      ["", "a b", "*", "a|b", "~", "ä", "{a,b}"].map(ShellFilling.word) == [
        "''", "'a b'", "'*'", "'a|b'", "'~'", "'ä'", "'{a,b}'",
      ])
  }

  /// The shells of this machine, which need not have all.
  private static let shells = ["/bin/sh", "/bin/bash", "/bin/dash", "/usr/bin/zsh", "/usr/bin/fish"].filter {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static func run(_ shell: String, _ line: String, _ value: String, in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: shell)
    process.arguments = ["-c", line]
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path, "LC_ALL": "C.UTF-8", "V": value,
    ]
    let output = Pipe()
    (process.standardInput, process.standardOutput, process.standardError) = (
      FileHandle.nullDevice, output, FileHandle.nullDevice
    )
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let hostile = [
    "'", "\\", "\"", "$(touch ran)", "`touch ran`", "; touch ran;", "\n", "touch ran\n", " ", "$HOME", "*", "~", "#",
    "&", "|",
    "(", ")", "}", "<<E", "a", "é", "!",
  ]

  private static func value(_ numbers: inout SeededNumbers) -> String {
    (0...numbers.below(6)).map { _ in numbers.pick(hostile) }.joined()
  }

  @Test(.ownThread, arguments: shells) func `a shell gives each value back as it was`(shell: String) async throws {
    var numbers = SeededNumbers(seed: SeededNumbers.seed(from: "PARLEY_SNIPPET_SEED"))
    let texts = [
      "printf %s ${x}", #"printf %s "${x}""#, "printf %s '${x}'", #"printf %s "$(printf %s ${x}; printf e)""#,
      #"printf %s "$(printf %s "${x}"; printf e)""#, "printf %s '[' ${x} ']' | cat", "# it's\nprintf %s ${x}",
    ]
    try await withTemporaryDirectory { folder in
      for _ in 0..<8 {
        for text in texts {
          let value = ShellFillingTests.value(&numbers)
          let line = try ShellFilling.line(Template(text)) { _ in "\"$V\"" }
          let seen = try ShellFillingTests.run(shell, line, value, in: folder)
          #expect(seen == text.expected(value), "\(shell): \(line)")
        }
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
    }
  }

  @Test(.ownThread, arguments: shells) func `no value is run, whatever the line is`(shell: String) async throws {
    var numbers = SeededNumbers(seed: SeededNumbers.seed(from: "PARLEY_SNIPPET_SEED"))
    let parts = [
      "echo ", "${x}", "${x}", "'", "\"", " ", "\n", "\\", "$(", ")", "(", "#", "$", "{", "}", "`", "<", "<<E\n",
      "\nE\n", ";", "case a in a) ", ";; esac", "a", "$'", "$((", "))", "&&", "|", ">&", "=", "$${a:-", "\\\n",
      "echo \"$(echo ", "if true; then ", "$@", "$$", "a=(", "@(",
    ]
    try await withTemporaryDirectory { folder in
      for _ in 0..<250 {
        let text = (0...numbers.below(12)).map { _ in numbers.pick(parts) }.joined()
        // The person's own line may run what begins with its first word.
        let value = "x" + ShellFillingTests.value(&numbers) + "'$(touch ran)\"$(touch ran)`touch ran`\ntouch ran\n"
        // One that is refused has not run.
        guard let line = try? ShellFilling.line(Template(text), { _ in "\"$V\"" }), line != text else { continue }
        _ = try ShellFillingTests.run(shell, line, value, in: folder)
        if FileManager.default.fileExists(atPath: folder.path + "/ran") {
          Issue.record("\(shell) ran the value of \(text.debugDescription): \(line.debugDescription)")
          return
        }
      }
    }
  }
}

extension String {
  /// What the texts above print.
  fileprivate func expected(_ value: String) -> String {
    contains("'['") ? "[\(value)]" : contains("printf e") ? value + "e" : value
  }
}
