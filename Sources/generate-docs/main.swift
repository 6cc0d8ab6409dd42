import Foundation
import Invocation

// Writes what is made from the program's tables into the project in the current folder, or in the one named.
let root = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? ".")
for document in Documents.all {
  let file = root.appendingPathComponent(document.path)
  try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
  try Data(document.text.utf8).write(to: file)
}
