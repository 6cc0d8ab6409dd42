/// What a script sees (docs/shell.md 2).
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  case usage = 2
  case scriptStopped = 3
  case signIn = 4
  case unreachable = 5
  case untrusted = 6
  case refused = 7
  case cutOff = 8
  case endedEarly = 9
  case storeUnusable = 10
  case interrupted = 130
  case readerGone = 141
}
