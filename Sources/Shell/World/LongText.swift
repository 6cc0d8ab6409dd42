package import Text

/// A text that may be long: it is made piece by piece while it is shown, and anew each time that it is gone through.
package struct LongText: Sequence, Sendable {
  private let pieces: @Sendable () -> AnySequence<StyledText>

  /// - Parameter pieces: none of which takes long to make.
  package init(_ pieces: @escaping @Sendable () -> some Sequence<StyledText> & SendableMetatype) {
    self.pieces = { AnySequence(pieces()) }
  }

  package init(_ text: StyledText) { self.init { CollectionOfOne(text) } }

  package func makeIterator() -> AnySequence<StyledText>.Iterator { pieces().makeIterator() }
}

/// How a program ended that was to show a text.
package struct PagerEnd: Sendable, Equatable {
  /// As a shell counts it.
  package var status: Int32
  /// Whether it took anything of the text.
  package var hasRead: Bool

  package init(status: Int32, hasRead: Bool) {
    self.status = status
    self.hasRead = hasRead
  }
}
