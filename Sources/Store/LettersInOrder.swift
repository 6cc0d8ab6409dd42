extension String {
  /// Whether all letters of `letters` are in it in this order; spaces in `letters` do not count, case does.
  package func contains(inOrder letters: String) -> Bool {
    var rest = letters.filter { $0 != " " }[...]
    for letter in self where letter == rest.first { rest.removeFirst() }
    return rest.isEmpty
  }
}
