package import Wire

/// Something that an agent does by itself, or means to: a call of one of its own tools, or its plan.
///
/// It is known by its `id`, and comes again as a whole each time that more of it is known (docs/acp.md 4).
package struct Activity: Sendable, Equatable {
  /// Unique in its turn.
  package var id: String
  /// In the agent's words: not to be trusted.
  package var title: String
  /// What it is, as the agent says, such as `edit`: a hint, and never a reason to allow anything.
  package var kind: String
  package var status: Status
  package var content: [Content]
  package var places: [Place]
  /// What the agent's tool was given and gave back: any JSON.
  package var input: JSON?
  package var output: JSON?

  package enum Status: String, Sendable, CaseIterable {
    case pending, running, done, failed
    /// Its turn was cancelled, or its connection lost, while it ran.
    case stopped
    /// Its turn ended well, and no result was reported: many agents send no update after an approved call.
    case unreported

    /// Whether nothing more comes of it.
    package var isOver: Bool {
      switch self {
      case .pending, .running: false
      case .done, .failed, .stopped, .unreported: true
      }
    }
  }

  package enum Content: Sendable, Equatable {
    case block(ToolContent)
    case diff(FileChange)
    /// The output of a command that this program runs for the agent, by its id.
    case terminal(String)
    case plan([PlanEntry])
  }

  /// A place in a file; lines are counted from 1.
  package struct Place: Sendable, Equatable {
    package var path: String
    package var line: Int?

    package init(path: String, line: Int? = nil) {
      self.path = path
      self.line = line
    }
  }

  package init(
    id: String, title: String = "", kind: String = "other", status: Status = .pending, content: [Content] = [],
    places: [Place] = [], input: JSON? = nil, output: JSON? = nil
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.status = status
    self.content = content
    self.places = places
    self.input = input
    self.output = output
  }
}

/// A change of a whole file.
package struct FileChange: Sendable, Equatable {
  package var path: String
  /// nil for a file that is made, or cannot be shown.
  package var old: String?
  package var new: String
  /// Whether there is a file already that cannot be shown, as it is no text or too long.
  package var replacesUnseen: Bool

  package init(path: String, old: String?, new: String, replacesUnseen: Bool = false) {
    self.replacesUnseen = replacesUnseen
    self.path = path
    self.old = old
    self.new = new
  }
}

/// A step of an agent's plan.
package struct PlanEntry: Sendable, Equatable {
  package var text: String
  package var status: Activity.Status
  /// `high`, `medium` or `low`, or a word of the agent's.
  package var priority: String

  package init(text: String, status: Activity.Status = .pending, priority: String = "medium") {
    self.text = text
    self.status = status
    self.priority = priority
  }
}
