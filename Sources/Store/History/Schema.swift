/// One step of the history's schema. A released step is never changed.
struct Migration: Sendable {
  /// `user_version` afterwards.
  let version: Int
  let sql: String
}

/// The history's tables. `key` is SQLite's own row number, which outlives a vacuum; `id` is for people and exports.
enum Schema {
  /// "parl", so that a file that is another program's database is told apart.
  static let applicationID = 0x7061_726c

  static let migrations = [
    Migration(version: 1, sql: first), Migration(version: 2, sql: steps),
    Migration(version: 3, sql: lighterIndexing), Migration(version: 4, sql: remoteNames),
    Migration(version: 5, sql: remoteTurns), Migration(version: 6, sql: attachments),
    Migration(version: 7, sql: attachedKinds), Migration(version: 8, sql: order),
    Migration(version: 9, sql: contextMarks), Migration(version: 10, sql: linesOfTurns),
  ]

  private static let first = """
    CREATE TABLE session (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      title TEXT,
      title_is_manual INTEGER NOT NULL DEFAULT 0,
      opening TEXT NOT NULL DEFAULT '',
      system_prompt TEXT,
      temperature REAL,
      top_p REAL,
      max_tokens INTEGER,
      seed INTEGER,
      stop TEXT,
      server_name TEXT,
      server_url TEXT,
      server_kind TEXT,
      model TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      head INTEGER REFERENCES turn(key) ON DELETE SET NULL,
      archived INTEGER NOT NULL DEFAULT 0,
      pinned INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX session_by_age ON session(archived, updated_at);
    CREATE INDEX session_by_head ON session(head);

    CREATE TABLE turn (
      key INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
      parent INTEGER REFERENCES turn(key) ON DELETE SET NULL,
      number INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      UNIQUE (session, number)
    );
    CREATE INDEX turn_by_parent ON turn(parent);

    CREATE TABLE message (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      turn INTEGER NOT NULL REFERENCES turn(key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      role TEXT NOT NULL,
      content TEXT NOT NULL,
      reasoning TEXT NOT NULL DEFAULT '',
      tool_name TEXT,
      tool_call_id TEXT,
      created_at INTEGER NOT NULL,
      status TEXT,
      model TEXT,
      server TEXT,
      error TEXT,
      prompt_tokens INTEGER,
      completion_tokens INTEGER,
      cost REAL,
      first_token_ms INTEGER,
      total_ms INTEGER,
      owner TEXT,
      UNIQUE (turn, position)
    );
    CREATE INDEX message_being_written ON message(status) WHERE status = 'streaming';

    CREATE TABLE recall (
      key INTEGER PRIMARY KEY,
      text TEXT NOT NULL,
      created_at INTEGER NOT NULL
    );

    CREATE TABLE meta (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    );

    -- An answer enters the index once, when it is final: indexing each saved second would cost the square of its length.
    CREATE VIEW message_text AS SELECT key, content, reasoning FROM message WHERE status IS NOT 'streaming';
    CREATE VIRTUAL TABLE message_index USING fts5(
      content, reasoning, content = 'message_text', content_rowid = 'key',
      tokenize = 'unicode61 remove_diacritics 2'
    );
    CREATE TRIGGER message_added AFTER INSERT ON message WHEN new.status IS NOT 'streaming' BEGIN
      INSERT INTO message_index(rowid, content, reasoning) VALUES (new.key, new.content, new.reasoning);
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON message WHEN old.status IS NOT 'streaming' BEGIN
      INSERT INTO message_index(message_index, rowid, content, reasoning)
        VALUES ('delete', old.key, old.content, old.reasoning);
    END;
    CREATE TRIGGER message_left AFTER UPDATE OF content, reasoning, status ON message
      WHEN old.status IS NOT 'streaming' BEGIN
      INSERT INTO message_index(message_index, rowid, content, reasoning)
        VALUES ('delete', old.key, old.content, old.reasoning);
    END;
    CREATE TRIGGER message_settled AFTER UPDATE OF content, reasoning, status ON message
      WHEN new.status IS NOT 'streaming' BEGIN
      INSERT INTO message_index(rowid, content, reasoning) VALUES (new.key, new.content, new.reasoning);
    END;
    """

  /// Rounds with tools: an assistant's row with its calls, then a `tool` row for each, whose `content` is what the model
  /// was given. A `tool` row without a status is of a call of which nothing has come.
  private static let steps = """
    ALTER TABLE message ADD COLUMN tool_calls TEXT;
    ALTER TABLE message ADD COLUMN tool_status TEXT;
    ALTER TABLE message ADD COLUMN tool_result TEXT;
    ALTER TABLE message ADD COLUMN tool_ms INTEGER;

    -- SQLite does not say which of two triggers runs first, and here the old words must go before the new ones come.
    DROP TRIGGER message_left;
    DROP TRIGGER message_settled;
    CREATE TRIGGER message_changed AFTER UPDATE OF content, reasoning, status ON message BEGIN
      INSERT INTO message_index(message_index, rowid, content, reasoning)
        SELECT 'delete', old.key, old.content, old.reasoning WHERE old.status IS NOT 'streaming';
      INSERT INTO message_index(rowid, content, reasoning)
        SELECT new.key, new.content, new.reasoning WHERE new.status IS NOT 'streaming';
    END;
    INSERT INTO message_index(message_index) VALUES ('rebuild');
    """

  /// A trigger that names a column of `old` has the whole old row read at each update, while an answer grows too. A
  /// trigger before the change also comes before one behind it, whatever else there is.
  private static let lighterIndexing = """
    DROP TRIGGER message_changed;
    CREATE TRIGGER message_left BEFORE UPDATE OF content, reasoning, status ON message BEGIN
      INSERT INTO message_index(message_index, rowid, content, reasoning)
        SELECT 'delete', key, content, reasoning FROM message WHERE key = old.key AND status IS NOT 'streaming';
    END;
    CREATE TRIGGER message_settled AFTER UPDATE OF content, reasoning, status ON message
      WHEN new.status IS NOT 'streaming' BEGIN
      INSERT INTO message_index(rowid, content, reasoning) VALUES (new.key, new.content, new.reasoning);
    END;
    """

  /// What a server that keeps conversations itself calls one of ours.
  private static let remoteNames = "ALTER TABLE session ADD COLUMN remote TEXT;"

  /// What such a server calls the two messages of a turn.
  private static let remoteTurns = """
    ALTER TABLE turn ADD COLUMN remote_question TEXT;
    ALTER TABLE turn ADD COLUMN remote_answer TEXT;
    CREATE INDEX session_by_remote ON session(remote) WHERE remote IS NOT NULL;
    """

  /// Files that went along with a question. The same bytes are kept once, and go with the last turn that has them.
  private static let attachments = """
    CREATE TABLE attached_bytes (
      key INTEGER PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      bytes BLOB NOT NULL
    );
    CREATE TABLE attachment (
      key INTEGER PRIMARY KEY,
      turn INTEGER NOT NULL REFERENCES turn(key) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      path TEXT NOT NULL,
      digest TEXT NOT NULL,
      UNIQUE (turn, position)
    );
    CREATE INDEX attachment_by_digest ON attachment(digest);
    CREATE TRIGGER attachment_removed AFTER DELETE ON attachment BEGIN
      DELETE FROM attached_bytes
        WHERE digest = old.digest AND NOT EXISTS (SELECT 1 FROM attachment WHERE digest = old.digest);
    END;
    """

  /// Where what a model is sent of a conversation begins: with a turn, such as a summary, or after one. The value is the
  /// number of the turn that was the last when this was chosen: what was counted until then was counted with more than is
  /// sent now.
  private static let contextMarks = """
    ALTER TABLE turn ADD COLUMN context_start INTEGER;
    ALTER TABLE turn ADD COLUMN context_end INTEGER;
    """

  /// What a typed line became, with which it goes. NULL where it became no turn, or where that is not known.
  private static let linesOfTurns = """
    ALTER TABLE recall ADD COLUMN turn INTEGER REFERENCES turn(key) ON DELETE CASCADE;
    CREATE INDEX recall_by_turn ON recall(turn);
    """

  /// Words that people put to sessions, and the pinned ones found without going through all.
  private static let order = """
    CREATE TABLE tag (
      key INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES session(key) ON DELETE CASCADE,
      word TEXT NOT NULL,
      UNIQUE (session, word)
    );
    CREATE INDEX tag_by_word ON tag(word);
    CREATE INDEX session_by_pin ON session(archived, updated_at) WHERE pinned = 1;
    """

  /// What such a file is, so that its bytes need not be read to say so. Not beside the bytes: what stands behind them in
  /// a row is found by going through them. `size` is NULL where an earlier version kept the file.
  private static let attachedKinds = """
    ALTER TABLE attachment ADD COLUMN size INTEGER;
    ALTER TABLE attachment ADD COLUMN lines INTEGER;
    ALTER TABLE attachment ADD COLUMN image TEXT;
    ALTER TABLE attachment ADD COLUMN width INTEGER;
    ALTER TABLE attachment ADD COLUMN height INTEGER;
    """
}
