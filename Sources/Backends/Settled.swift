import Chat

/// What came of `body`, to be looked at later.
func settled<T>(of body: () async throws(BackendError) -> T) async -> Result<T, BackendError> {
  do throws(BackendError) { return .success(try await body()) } catch { return .failure(error) }
}
