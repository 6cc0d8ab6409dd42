package import Waiting
package import Wire

/// A call on its way: what happens, then the result. Of one that is stopped the server is told in the way of its
/// protocol, and it ends with `ToolError.cancelled`.
package typealias ToolRun = StoppableSequence<ToolEvent, ToolError>

/// What happens during a call.
package enum ToolEvent: Sendable {
  case progress(ToolProgress)
  /// A line of the server's log about this call, or what was odd about its messages, for `--verbose`.
  case log(level: String, text: String)
  /// The server asks the person something; it waits until `ToolQuestion.reply` is called, and the clock of the call
  /// stands still.
  case question(ToolQuestion)
  /// The last event.
  case finished(ToolResult)
}

package struct ToolProgress: Sendable, Equatable {
  /// In the tool's own unit.
  package var done: Double
  package var total: Double?
  package var message: String?

  package init(done: Double, total: Double? = nil, message: String? = nil) {
    self.done = done
    self.total = total
    self.message = message
  }
}

/// What a server asks the person in the middle of a call (docs/mcp.md 5).
package struct ToolQuestion: Sendable {
  package var message: String
  package var subject: Subject
  /// Called once; later calls do nothing.
  package var reply: @Sendable (Reply) -> Void

  package enum Subject: Sendable, Equatable {
    case form([FormField])
    /// A page to be looked at in a browser. Nothing is opened by itself.
    case page(url: String)
  }

  package enum Reply: Sendable, Equatable {
    /// The values of a form, as an object; nil for a page.
    case accept(JSON?)
    case decline
    /// The person left without saying yes or no.
    case cancel
  }

  package init(message: String, subject: Subject, reply: @escaping @Sendable (Reply) -> Void) {
    self.message = message
    self.subject = subject
    self.reply = reply
  }
}

/// A field of a form.
package struct FormField: Sendable, Equatable {
  package var name: String
  package var title: String?
  package var summary: String?
  package var isRequired: Bool
  package var kind: Kind
  package var standard: JSON?

  package enum Kind: Sendable, Equatable {
    /// Lengths in characters; `format` such as `email`.
    case text(shortest: Int?, longest: Int?, format: String?)
    case number(from: Double?, to: Double?, isWhole: Bool)
    case flag
    case choice([Choice])
    case choices([Choice], fewest: Int?, most: Int?)
  }

  package struct Choice: Sendable, Equatable {
    package var value: String
    package var title: String?

    package init(_ value: String, title: String? = nil) {
      self.value = value
      self.title = title
    }
  }

  package init(
    name: String, title: String? = nil, summary: String? = nil, isRequired: Bool = false, kind: Kind,
    standard: JSON? = nil
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.isRequired = isRequired
    self.kind = kind
    self.standard = standard
  }
}

extension ToolEvent {
  /// What becomes of it when nobody reads it yet.
  /// - Parameter call: tells the calls apart that share a queue.
  package func room(call: Int = 0) -> EventRoom {
    switch self {
    case .progress: .latest(of: call)
    case .log(_, let text): .spare(bytes: 256 + text.utf8.count, of: call)
    case .question, .finished: .always
    }
  }
}
