import Foundation

/// Writes a program that is started soon after. A process of its own does it: a child that another test forks meanwhile
/// would hold a file of ours open for writing, and then it cannot be started (ETXTBSY).
package func installProgram(_ text: String, at path: String) throws {
  let shell = try Process.run(
    URL(filePath: "/bin/sh"), arguments: ["-c", #"printf %s "$1" >"$2" && chmod 700 "$2""#, "sh", text, path])
  shell.waitUntilExit()
  if shell.terminationStatus != 0 { throw CocoaError(.fileWriteUnknown) }
}
