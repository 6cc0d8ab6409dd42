/// Lines that may be the secret of a sign-in (docs/rules.md C8).
extension Desk {
  /// Whether a text looks like a secret. Where a sign-in is wanted, one word is enough.
  func mayBeSecret(_ text: String) -> Bool {
    LikelySecret.isWhole(text)
      || lacksSignIn && (LikelySecret.isLikely(in: text) || LikelySecret.mayBePassword(text))
  }

  /// A sign-in begins. Until it has succeeded, a line may be the secret that it wants.
  mutating func beginSignIn() {
    lacksSignIn = true
    discardsTypedAhead = options.canType
  }

  mutating func endSignIn() {
    lacksSignIn = false
    discardsTypedAhead = false
  }
}
