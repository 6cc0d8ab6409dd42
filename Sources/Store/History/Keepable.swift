extension String {
  /// The text as SQLite keeps it whole: to SQLite a NUL ends a text, and all behind it would be lost. U+FFFD stands for it,
  /// as in Markdown.
  var keepable: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }
}
