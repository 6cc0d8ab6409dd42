import Invocation
do {
  let o = try Options.parse(Array(CommandLine.arguments.dropFirst()))
  print(o.words)
} catch { print(Options.message(for: error)) ; print(Options.exitCode(for: error)) }
