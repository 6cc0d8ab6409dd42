import GRDB

extension History {
  /// Looks the whole file over once a week, in the background, and remembers damage for the next start.
  func checkWeekly(_ file: HistoryFile) {
    let week = 7 * 86_400_000
    let today = now()
    guard let checker else { return }
    let writer = writer
    writer.asyncWriteWithoutTransaction { db in
      guard let last = try? Int.fetchOne(db, sql: "SELECT value FROM meta WHERE name = 'checked_at'"),
        last < today - week, let queue = try? checker.queue()
      else { return }  // an unreadable moment is met again by the next start
      queue.asyncWriteWithoutTransaction { db in
        guard let verdict = try? String.fetchOne(db, sql: "PRAGMA quick_check(1)") else { return }  // closing
        guard verdict == "ok" else { return file.suspectDamage() }
        for old in file.asides("corrupt") where AsideName.isOlder(old, than: today - 30 * 86_400_000) {
          file.removeAll(old)
        }
        writer.asyncWriteWithoutTransaction { db in
          try? db.execute(  // it is only checked again sooner
            sql: "UPDATE meta SET value = ? WHERE name = 'checked_at'", arguments: [today])
          // Not at each end: it writes, and a run for one question would wait for that.
          try? db.execute(sql: "PRAGMA analysis_limit = 200; PRAGMA optimize")
        }
      }
    }
  }
}
