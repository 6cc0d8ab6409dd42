import TestSupport

@testable import Text

/// What no program would draw, of all that a screen does. It looks at the screen that comes of it, and leaves out what
/// tmux does in its own way, each of which is named here; there `DrawnScreen` does what xterm does.
struct RandomDrawing {
  private var random: SeededNumbers
  private(set) var screen: DrawnScreen
  private(set) var bytes: [UInt8] = []
  private let look: RealScreen.Look
  /// tmux counts all cells of a row as used then, so that blanks stand before what goes on in the next one.
  private var hasInserted = false

  init(seed: UInt64, _ look: RealScreen.Look) {
    random = SeededNumbers(seed: seed)
    self.look = look
    let (columns, rows) = random.pick([(5, 3), (10, 5), (20, 8), (40, 12), (80, 24)])
    screen = DrawnScreen(columns: columns, rows: rows)
    // tmux keeps what leaves a region anywhere on the screen, xterm what leaves the screen.
    if look == .rows { say("\u{1B}[?1049h") }
    for _ in 0..<(3 + random.below(random.pick([12, 40, 300]))) { step() }
    // Colours and the like end.
    say("\u{18}")
  }

  var drawing: RealScreen.Drawing { RealScreen.Drawing(bytes: bytes, columns: screen.columns, rows: screen.rows) }

  private var isWaiting: Bool { screen.column == screen.columns }
  private var isEmpty: Bool { screen.grid[screen.row].cells.isEmpty }
  private var isWide: Bool { (0..<screen.rows).contains { screen.grid[$0].cells.contains(.secondHalf) } }

  private mutating func say(_ text: String) {
    let new = Array(text.utf8)
    bytes += new
    screen.feed(new)
  }

  private mutating func number() -> String {
    random.pick(["", "", "0", "1", "2", "2", "3", "4", "\(1 + random.below(screen.columns + 2))", "99999"])
  }

  private mutating func control(_ final: String) { say("\u{1B}[\(number())\(final)") }

  private mutating func step() {
    switch random.below(20) {
    case 0...6: write()
    case 7, 8: say("\r\n")
    case 9, 10: move()
    case 11: moveWithin()
    case 12: erase()
    case 13: shift()
    case 14: scroll()
    case 15: stops()
    case 16: modes()
    case 17: ignored()
    case 18: if look == .lines { switchScreens() } else { say("\r") }
    default: saveAndRestore()
    }
  }

  private mutating func write() {
    // tmux leaves the first half of a wide character in the first column, and halves of others where it inserts; a
    // character that is wrapped is inserted into the row that it does not go to.
    let cells = screen.grid[screen.row].cells
    let cutsFirst = screen.column == 1 && cells.count > 1 && cells[1] == .secondHalf
    guard !cutsFirst, !(screen.modes.inserts && (isWaiting || isWide)) else { return say("\r") }
    let ascii = "abcdefghijklmnopqrstuvwxyz `~_ABC 0123456789"
    func word(_ count: Int) -> String { String((0..<count).map { _ in random.pick(Array(ascii)) }) }
    if screen.modes.inserts { return say(word(1 + random.below(screen.columns - screen.column))) }
    switch random.below(10) {
    case 0: say(word(screen.columns + random.below(2 * screen.columns)))
    case 1 where !hasInserted: say(random.pick(["漢字", "日本語日本語", "👍", "한"]))
    case 2: say(random.pick(["é", "ü", "─│┌", "…"]))
    case 3: say("a" + random.pick(["\u{301}", "\u{308}\u{323}", "\u{302}"]))
    // tmux repeats none but those of ASCII.
    case 4:
      say(word(1))
      control("b")
    default: say(word(1 + random.below(8)))
    }
  }

  private mutating func move() {
    switch random.below(3) {
    // tmux has the column of a line that waits to be wrapped kept by this.
    case 0: if !isWaiting { control("d") }
    case 1: say("\u{1B}[\(number());\(number())\(random.pick(["H", "f"]))")
    default: control(random.pick(["A", "B", "E", "F", "G", "`"]))
    }
  }

  /// tmux has a line that waits to be wrapped wait on through a line feed, and counts from behind it to the left.
  private mutating func moveWithin() {
    guard !isWaiting else { return say("\r") }
    switch random.below(6) {
    case 0: control("C")
    case 1: control("D")
    // tmux goes back over the beginning of a row that goes on from another.
    case 2: if screen.column > 0 { say("\u{8}") }
    case 3: say(random.pick(["\u{1B}D", "\u{1B}E", "\n", "\u{B}", "\u{C}"]))
    case 4: if look == .rows { say("\u{1B}M") }
    default: say("\t")
    }
  }

  private mutating func erase() {
    // tmux does not tie off a line above an empty row that is erased, and leaves halves of wide characters.
    guard !isWide else { return say("\u{1B}[2J") }
    switch random.below(5) {
    case 0, 1: if !isEmpty { say("\u{1B}[\(random.pick(["", "0", "1", "2", "7"]))K") }
    case 2, 3: say("\u{1B}[\(random.pick(["", "0", "1", "2", "3", "9"]))J")
    default: if !isEmpty { control("X") }
    }
  }

  private mutating func shift() {
    // See `hasInserted`; deleting counts them too.
    let row = screen.grid[screen.row]
    let isPartly = look == .lines && row.isWrapped && row.cells.count < screen.columns
    guard !isWide, !isPartly else { return }
    // tmux empties no more cells than it moves.
    let most = (screen.columns - screen.column) / 2
    guard most > 0, random.below(2) == 0 else { return control("P") }
    hasInserted = look == .lines
    say("\u{1B}[\(1 + random.below(most))@")
  }

  private mutating func scroll() {
    switch random.below(5) {
    case 0: control("S")
    case 1 where look == .rows: control("T")
    // tmux does it outside of the region too; and the rows that are moved are tied to others than before.
    case 2 where look == .rows && screen.top...screen.bottom ~= screen.row: control(random.pick(["L", "M"]))
    // tmux goes to the top of the screen, not of the region.
    case 3 where !screen.modes.isRelative:
      // tmux unties the rows of a region of two.
      if look == .rows {
        say("\u{1B}[\(number());\(1 + random.below(screen.rows))r")
      } else {
        say("\u{1B}[1;\(3 + random.below(screen.rows - 2))r")
      }
    case 4: say("\u{1B}[r\u{1B}[\(1 + random.below(screen.rows))H")
    default: break
    }
  }

  private mutating func stops() {
    switch random.below(5) {
    case 0: say("\u{1B}H")
    case 1: say("\u{1B}[\(random.pick(["", "0", "3"]))g")
    case 2: control("Z")
    default: say("\t")
    }
  }

  private mutating func modes() {
    switch random.below(6) {
    // tmux shows nothing that comes when a line waits to be wrapped and may not be.
    case 0: if !isWaiting { say("\u{1B}[?7l") }
    case 1: say("\u{1B}[?7h")
    case 2:
      hasInserted = look == .lines
      say("\u{1B}[4\(random.pick(["h", "l", "l"]))")
    case 3: say("\u{1B}[?6\(random.pick(["h", "l"]))")
    case 4: say(random.pick(["\u{1B}(0", "\u{1B}(B", "\u{1B})0", "\u{1B})B", "\u{E}", "\u{F}", "\u{F}"]))
    default: if look == .rows, random.below(4) == 0 { say("\u{1B}#8") }
    }
  }

  private mutating func ignored() {
    say(
      random.pick([
        "\u{1B}[1;31m", "\u{1B}[38:2::1:2:3m", "\u{1B}[m", "\u{1B}]0;title\u{7}", "\u{1B}]8;;http://x\u{1B}\\",
        "\u{1B}Pq#0;1\u{1B}\\", "\u{1B}_G a\u{1B}\\", "\u{1B}^pm\u{1B}\\", "\u{1B}[?2004h", "\u{1B}[>4;1m", "\u{1B}=",
        "\u{1B}[12\u{18}", "\u{1B}[1\u{1B}[m", "\u{7}", "\u{0}", "\u{1B}[?25l", "\u{1B}[2 q", "\u{1B}[1\rm",
        "\u{1B}[>c",
      ]))
  }

  private mutating func switchScreens() {
    switch random.below(4) {
    // tmux forgets that the last line above the screen goes on in it.
    case 0 where !isWaiting && screen.primary.past.count == 0:
      say("\u{1B}[?\(random.pick(["47", "1047", "1049"]))h")
    // tmux goes to where the cursor once was even where that screen is not shown, and has no line wait behind it.
    case 1 where !isWaiting && screen.isAlternate: say("\u{1B}[?\(random.pick(["47", "1047", "1049"]))l")
    // tmux stays on that screen.
    case 2 where !screen.isAlternate && random.below(4) == 0: say("\u{1B}c\u{1B}7")
    default: say("\r\n")
    }
  }

  private mutating func saveAndRestore() {
    guard !isWaiting else { return say("\r") }
    switch random.below(3) {
    case 0: say(random.pick(["\u{1B}7", "\u{1B}[s"]))
    default: say(random.pick(["\u{1B}8", "\u{1B}[u"]))
    }
  }
}
