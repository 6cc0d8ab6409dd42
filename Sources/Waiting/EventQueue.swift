/// What becomes of an event whose reader is slower than they come.
package enum EventRoom: Sendable {
  /// It is kept.
  case always
  /// It takes the place of the one of that kind that waits: only the last counts.
  case latest(of: Int)
  /// It is passed over when too many bytes of that kind wait.
  case spare(bytes: Int, of: Int)
}

/// Events on their way to one reader: however fast they come and slowly they are read, what waits stays small
/// (docs/rules.md A7).
package final class EventQueue<Event: Sendable>: AsyncSequence, Sendable {
  package typealias Element = Event
  package typealias Failure = Never

  private let room: @Sendable (Event) -> EventRoom
  private let bell: AsyncStream<Void>
  private let ringing: AsyncStream<Void>.Continuation
  private let line = Locked(WaitingLine<Event>())

  package init(room: @escaping @Sendable (Event) -> EventRoom) {
    self.room = room
    // One ring is enough: who hears it takes all there is.
    (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// False when nobody will read it.
  @discardableResult
  package func put(_ event: Event) -> Bool {
    let room = room(event)
    let isTaken = line.withLock { $0.add(event, room) }
    ringing.yield()
    return isTaken
  }

  package var isFinished: Bool { line.withLock { $0.isOver } }

  /// What waits is still read; nothing is taken any more.
  package func finish() {
    line.withLock { $0.isOver = true }
    ringing.finish()
  }

  fileprivate func take() -> Event? { line.withLock { $0.take() } }

  package func makeAsyncIterator() -> Iterator { Iterator(queue: self, bells: bell.makeAsyncIterator()) }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let queue: EventQueue
    fileprivate var bells: AsyncStream<Void>.Iterator

    package mutating func next() async -> Event? { await next(isolation: nil) }

    package mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
      while true {
        if let event = queue.take() { return event }
        // A cancelled reader hears no more, as one whose queue has been finished.
        guard await bells.next(isolation: actor) != nil else { return queue.take() }
      }
    }
  }
}

/// What waits for the reader, in the order in which it came.
private struct WaitingLine<Event: Sendable>: Sendable {
  var isOver = false
  private var waiting: [(event: Event, room: EventRoom)] = []
  /// How many of `waiting` have been taken, and how many were before those.
  private var taken = 0
  private var takenBefore = 0
  /// Where the event of a kind is of which only the last counts, among all that ever came.
  private var places: [Int: Int] = [:]
  private var spent: [Int: Int] = [:]

  /// The bytes of a kind that may wait; one event may always.
  private static var spareLimit: Int { 1 << 20 }

  /// False for what is not taken.
  mutating func add(_ event: Event, _ room: EventRoom) -> Bool {
    guard !isOver else { return false }
    switch room {
    case .always: break
    case .latest(let kind):
      if let place = places[kind] {
        waiting[place - takenBefore].event = event
        return true
      }
      places[kind] = takenBefore + waiting.count
    case .spare(let bytes, let kind):
      let before = spent[kind] ?? 0
      guard before == 0 || before + bytes <= Self.spareLimit else { return false }
      spent[kind] = before + bytes
    }
    waiting.append((event, room))
    return true
  }

  mutating func take() -> Event? {
    guard taken < waiting.count else { return nil }
    let (event, room) = waiting[taken]
    taken += 1
    switch room {
    case .always: break
    case .latest(let kind): places[kind] = nil
    case .spare(let bytes, let kind): spent[kind, default: bytes] -= bytes
    }
    if taken == waiting.count || taken >= 1024 {
      waiting.removeFirst(taken)
      takenBefore += taken
      taken = 0
    }
    return event
  }
}
