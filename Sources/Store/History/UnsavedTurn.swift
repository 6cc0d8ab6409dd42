package import Chat

extension Turn {
  /// A turn that could not be kept: it takes part in the conversation of this run only. Its `id` names nothing in the
  /// history, so it is never the parent or the original of a `NewTurn`.
  package static func unsaved(
    in session: SessionID, number: Int, parent: TurnID?, question: String, files: [AttachedFile] = [],
    steps: [ToolStep] = [], answer: StoredAnswer, at moment: Int
  ) -> Turn {
    Turn(
      id: .unkept(-Int64(number)), session: session, number: number, parent: parent, createdAt: moment,
      question: question, files: files, steps: steps, answer: answer)
  }

  /// A turn that was kept while it was asked and answered.
  package static func kept(
    as id: TurnID, in session: SessionID, number: Int, parent: TurnID?, question: String, files: [AttachedFile] = [],
    steps: [ToolStep] = [], answer: StoredAnswer, at moment: Int
  ) -> Turn {
    Turn(
      id: id, session: session, number: number, parent: parent, createdAt: moment, question: question, files: files,
      steps: steps, answer: answer)
  }

  /// Whether the history has it.
  package var isKept: Bool { id.isKept }
}

extension TurnID {
  /// What names a turn in this run that the history does not have. - Parameter key: is negative.
  package static func unkept(_ key: Int64) -> TurnID { TurnID(key: key) }

  /// Whether the history gave it.
  package var isKept: Bool { key > 0 }
}
