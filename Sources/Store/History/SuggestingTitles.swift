import GRDB

extension History {
  /// Gives a title to a session that has none. Whatever became of it meanwhile counts more, in this shell or another one:
  /// a title from anywhere stays, and what was made of a turn that is forgotten is not kept.
  /// - Returns: the session as it is then; nil when there is none.
  package func suggestTitle(
    _ title: String, of session: SessionID, madeOf turn: TurnID
  ) async throws(HistoryError) -> Session? {
    try await change { db in
      try db.execute(
        sql: """
          UPDATE session SET title = ?1 WHERE id = ?2 AND title IS NULL AND NOT title_is_manual
            AND EXISTS (SELECT 1 FROM turn WHERE turn.key = ?3 AND turn.session = session.key)
          """, arguments: [title.keepable, session.text, turn.key])
      return try Row.fetchOne(db, sql: Session.select + " WHERE id = ?", arguments: [session.text]).map(Session.init)
    }
  }
}
