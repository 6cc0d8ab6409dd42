import Chat

/// Whether and when a server that is busy is asked the same once more.
struct BusyPatience {
  /// The most times that it is asked again, and the longest that all of it may take, in seconds.
  private static let limit = 3
  private static let longestWait = 60

  private var retries = 0
  private var waited = 0

  /// How long to wait before the same is asked again; nil when it would be in vain.
  /// - Parameters:
  ///   - wished: what the server asked for.
  ///   - left: the seconds until the first token must be there.
  mutating func wait(
    after status: Int, _ error: ErrorBody, wished: Int?, left: Double?
  ) -> (Notice.Wait, seconds: Int)? {
    if status == 503 && error.isLoadingModel {
      return (.loadingModel, seconds: max(1, min(wished ?? 2, Int(min(left ?? 10, 10).rounded(.up)))))
    }
    // A server that names a time to wait has more to give then, whatever its message says.
    let isInVain = status == 429 && wished == nil && error.isAboutBudget
    guard [429, 503, 529].contains(status), retries < BusyPatience.limit, !isInVain else { return nil }
    let seconds = wished ?? 1 << retries
    guard waited + seconds <= BusyPatience.longestWait, Double(seconds) < left ?? .infinity else { return nil }
    retries += 1
    waited += seconds
    return (status == 429 ? .rateLimited : .overloaded, seconds: seconds)
  }
}
