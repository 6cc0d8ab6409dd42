/// The output of a command as it comes, in pieces of whole characters (Unicode scalars). None is empty.
package struct CommandPieces: AsyncSequence, Sendable {
  package typealias Element = String
  package typealias Failure = Never

  let run: CommandRun

  package func makeAsyncIterator() -> Iterator { Iterator(run: run, bells: run.news().makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let run: CommandRun
    fileprivate var bells: AsyncStream<Void>.Iterator
    /// The bytes that came before what is read next.
    private var place = 0

    fileprivate init(run: CommandRun, bells: AsyncStream<Void>.Iterator) {
      self.run = run
      self.bells = bells
    }

    package mutating func next() async -> String? { await next(isolation: nil) }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> String? {
      while true {
        let (piece, count, isOver) = run.change { [place] in
          ($0.text.text(since: place), $0.text.count, $0.isTextOver)
        }
        place = count
        if !piece.isEmpty { return piece }
        if isOver { return nil }
        guard await bells.next(isolation: actor) != nil else { return nil }
      }
    }
  }
}
