extension String {
  /// What follows another text that this one begins with, whatever the blanks in either; nil when it does not. Where
  /// something was done in the middle of an answer, a server and this program break its text in their own ways.
  package func rest(behind other: some StringProtocol) -> Substring? {
    if utf8.starts(with: other.utf8) { return self[utf8.index(startIndex, offsetBy: other.utf8.count)...] }
    var (mine, theirs) = (self[...], Substring(other))
    while let wanted = theirs.popFirst() {
      if wanted.isWhitespace { continue }
      mine = mine.drop(while: \.isWhitespace)
      guard mine.popFirst() == wanted else { return nil }
    }
    // The blanks between the two are there already.
    return other.last?.isWhitespace == true ? mine.drop(while: \.isWhitespace) : mine
  }
}
