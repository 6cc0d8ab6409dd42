import Chat
import Wire

/// Messages of another program, each below the one that it goes on from, on their way to turns.
///
/// A turn is a question and what was said and done until the next one; an answer that was asked for again is a turn of its
/// own with a copy of the question, as `/retry` makes it.
struct MessageTree {
  struct Node {
    enum Kind {
      case question(String)
      case said(String)
      case thought(String)
      case call(name: String, text: String)
      case result(name: String, text: String, isError: Bool = false)
      /// What serves the other program alone.
      case nothing
    }

    var kind: Kind
    var children: [String] = []
    /// In milliseconds since 1970.
    var moment = 0
    var model: String?
    var status = AnswerStatus.complete
    /// Of an answer.
    var usage = Usage()
    var totalMs: Int?
    /// Of a question.
    var files: [AttachedFile] = []
  }

  var nodes: [String: Node] = [:]
  /// Those that go on from none.
  var roots: [String] = []

  /// Where the walk goes next: a node, the turn that a question there goes on from, and what was met since the last one.
  private struct Step {
    var node: String
    var parent: Int?
    var question: Node?
    var chain: [Node] = []
  }

  /// The turns, and which of them each node is in.
  func turns() -> (turns: [KeptTurn], numbers: [String: Int]) {
    var turns: [KeptTurn] = []
    var numbers: [String: Int] = [:]
    var seen: Set<String> = []
    var steps = roots.reversed().map { Step(node: $0) }
    while var step = steps.popLast() {
      guard let node = nodes[step.node], seen.insert(step.node).inserted else { continue }
      if case .question = node.kind { step.question = node } else { step.chain.append(node) }
      var number: Int?
      // Once for all that go on from here; where nothing was said they go on from the turn before.
      func finish() -> Int? {
        if let number { return number }
        number = step.parent
        if step.question != nil || step.chain.contains(where: \.isShown) {
          number = turns.count + 1
          turns.append(turn(turns.count + 1, step.parent, step.question, step.chain))
        }
        numbers[step.node] = number
        return number
      }
      let children = node.children.filter { nodes[$0] != nil && !seen.contains($0) }
      if children.isEmpty { _ = finish() }
      var next: [Step] = []
      for child in children {
        if case .question = nodes[child]?.kind {
          next.append(Step(node: child, parent: finish()))
        } else {
          next.append(Step(node: child, parent: step.parent, question: step.question, chain: step.chain))
        }
      }
      steps += next.reversed()
    }
    return (turns, numbers)
  }

  private func turn(_ number: Int, _ parent: Int?, _ question: Node?, _ chain: [Node]) -> KeptTurn {
    var text = ""
    if case .question(let words) = question?.kind { text = words }
    let moment = question?.moment ?? chain.first?.moment ?? 0
    var answer = Rounds(moment)
    for node in chain { answer.add(node) }
    return KeptTurn(
      number: number, parent: parent, createdAt: moment, files: question?.files ?? [],
      messages: [KeptMessage(.user, text, createdAt: moment)] + answer.messages())
  }
}

extension MessageTree.Node {
  fileprivate var isShown: Bool { if case .nothing = kind { false } else { true } }
}

/// What was said and done for a question, as the rows of a turn.
private struct Rounds {
  private var done: [KeptMessage] = []
  private var text: [String] = []
  private var thoughts: [String] = []
  private var last: MessageTree.Node?
  /// Whether the model spoke after the last tool call. An empty message counts: it may follow a picture that a tool drew.
  private var isAnswered = false
  private var moment: Int

  init(_ moment: Int) { self.moment = moment }

  mutating func add(_ node: MessageTree.Node) {
    moment = max(moment, node.moment)
    switch node.kind {
    case .question, .nothing: return
    case .said(let words):
      text.append(words)
      isAnswered = true
    case .thought(let words): thoughts.append(words)
    case .call(let name, let words): begin(name, words)
    case .result(let name, let words, let isError):
      // More of the same result, or a result without a call.
      if done.last?.role != .tool { begin(name, "") }
      finish(words, isError: isError)
      return
    }
    last = node
  }

  private mutating func begin(_ name: String, _ words: String) {
    let call = ToolCall(id: "call-\(done.count)", name: name, arguments: .object(["input": .string(words)]))
    var round = KeptMessage(.assistant, joined(text), createdAt: moment)
    round.reasoning = joined(thoughts)
    round.toolCalls = StoredCall.column([StoredCall(call, tool: name)])
    var result = KeptMessage(.tool, "", createdAt: moment)
    (result.toolName, result.toolCallID) = (name, call.id)
    done += [round, result]
    (text, thoughts, isAnswered) = ([], [], false)
  }

  private mutating func finish(_ words: String, isError: Bool) {
    let index = done.count - 1
    let hasFailed = isError || done[index].toolStatus == StoredResult.Status.failed.rawValue
    done[index].content = joined([done[index].content, words])
    done[index].toolStatus = (hasFailed ? StoredResult.Status.failed : .done).rawValue
  }

  func messages() -> [KeptMessage] {
    guard let last else { return done }
    var answer = KeptMessage(.assistant, joined(text), createdAt: moment)
    answer.reasoning = joined(thoughts)
    answer.status = isAnswered || done.isEmpty ? last.status : .interrupted
    answer.model = last.model
    (answer.usage, answer.totalMs) = (last.usage, last.totalMs)
    return done + [answer]
  }

  private func joined(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n\n") }
}
