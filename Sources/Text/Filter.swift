/// The one door to the terminal: makes safe text of text from anywhere, whole or piece by piece.
///
/// Control characters become visible ones, so nothing foreign can begin an escape sequence; hidden and reordering
/// characters are taken out. The pieces may be cut anywhere: together they give what the whole gives, and filtering
/// what was filtered changes nothing.
package struct Filter: Sendable {
  package enum Profile: Sendable {
    /// Message bodies: lines are kept, tabs become spaces up to each eighth column.
    case block
    /// Code in a message: like `block`, but nothing changes the direction of the text.
    case code
    /// Names, titles, the heads of errors: one line.
    case inline
    /// What is about to be run or allowed: one line where each removed scalar is shown, as `<U+202E>`.
    case command
    /// Markdown source for a standard output that is no terminal: only what is harmful anywhere is changed.
    case source
  }

  package let profile: Profile
  /// How many characters were taken out so far that serve only to hide or reorder text.
  package internal(set) var hidden = 0

  var out: [UInt8] = []
  var line = CellCounter()
  /// A ZERO WIDTH JOINER or NON-JOINER that waits for a visible scalar, or 0.
  var joiner: UInt32 = 0
  var before = Neighbour()
  var openIsolates = 0
  var followsReturn = false
  private var utf8 = UTF8Pieces()

  package init(_ profile: Profile = .block) { self.profile = profile }

  /// What the last scalar was to one that wants to attach to it.
  struct Neighbour: Sendable {
    var isVisible = false
    var isASCII = false
    var isBase = false
    var marks = 0
    var hasVariation = false

    static let ascii = Neighbour(isVisible: true, isASCII: true, isBase: true)
    static let base = Neighbour(isVisible: true, isBase: true)
  }

  /// What may be shown of the next piece.
  package mutating func feed(_ piece: String) -> SafeText {
    utf8.isWhole ? filter(piece) : filter(utf8.finish() + piece)
  }

  /// Takes bytes of what claims to be UTF-8; ill-formed parts become U+FFFD.
  package mutating func feed(bytes: [UInt8]) -> SafeText { filter(utf8.feed(bytes)) }

  /// What was held back, and the filter as new but for the count of hidden characters.
  package mutating func finish() -> SafeText {
    var rest = filter(utf8.finish())
    settleJoiner(before: .nothing)
    closeIsolates()
    rest += SafeText(filtered: takeOut())
    let count = hidden
    self = Filter(profile)
    hidden = count
    return rest
  }

  private mutating func filter(_ piece: String) -> SafeText {
    var piece = piece
    let isUnchanged = piece.withUTF8 { scan($0) }
    return SafeText(filtered: isUnchanged ? piece : takeOut())
  }

  private mutating func takeOut() -> String {
    defer { out.removeAll(keepingCapacity: true) }
    return String(decoding: out, as: UTF8.self)
  }
}

extension Filter {
  /// A name, a title or the head of an error: one line, cut at a width in cells with `…`.
  package static func inline(_ untrusted: String, width: Int? = nil) -> SafeText {
    let whole = filtered(untrusted, .inline)
    return width.map { whole.cut(to: $0) } ?? whole
  }

  /// The body of a message.
  package static func block(_ untrusted: String) -> SafeText { filtered(untrusted, .block) }

  /// Code out of a message.
  package static func code(_ untrusted: String) -> SafeText { filtered(untrusted, .code) }

  /// One line of what is about to be run or allowed, whole: line ends inside it are shown as `^J`, because a blank in
  /// their place would make one command out of two.
  package static func command(_ untrusted: String) -> SafeText { filtered(untrusted, .command) }

  /// Markdown source for a standard output that is no terminal.
  package static func source(_ untrusted: String) -> SafeText { filtered(untrusted, .source) }

  private static func filtered(_ untrusted: String, _ profile: Profile) -> SafeText {
    var filter = Filter(profile)
    let text = filter.feed(untrusted)
    let rest = filter.finish()
    return rest.isEmpty ? text : text + rest
  }
}
