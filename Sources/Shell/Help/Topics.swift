package import Text

/// A page of help that is not a command or a setting.
package struct Topic: Sendable {
  package var name: String
  package var summary: String
  /// Lines within 78 columns; the first block is an example.
  package var body: SafeText
}

/// The pages.
package enum Topics {
  package static let all = [keys, exitCodes, environment, files, json, lines]

  static let keys = Topic(
    name: "keys", summary: "the keys of the line editor",
    body: """
      Example
          Ctrl-R capital     finds the last line with "capital" in it

      Enter              send the line
      Ctrl-J, Alt-Enter  a new line in the message
      Up, Down           earlier lines, of earlier runs too
      Ctrl-R             search earlier lines as you type
      Tab                complete commands, models, sessions, settings, files
      Ctrl-C             stop an answer (what came is kept), or clear the line
      Ctrl-D             leave, at an empty prompt
      Ctrl-Z             suspend; fg comes back to the same line
      Ctrl-X Ctrl-E      edit the line in $VISUAL or $EDITOR
      Ctrl-A, Ctrl-E     start, end of the line
      Ctrl-W, Ctrl-U     delete a word, the line
      Ctrl-K, Ctrl-Y     delete to the end, put back
      Ctrl-L             clear the screen

      A paste is one edit, whatever it contains; Enter sends it.
      What you type while an answer streams is kept for the next prompt.
      /settings editing vi gives vi keys; ~/.editrc is read.
      """)

  static let exitCodes = Topic(
    name: "exit-codes", summary: "what the exit status says",
    body: """
      Example
          parley "2+2?" || echo "status $?"

        0  answer complete, command done
        1  other failure
        2  wrong usage, bad setting, unknown command, model, session or server
        3  a script stopped on an error (on-error stop)
        4  sign-in needed, refused or expired
        5  cannot reach the server: name, connection, proxy, first time-outs
        6  certificate not trusted
        7  the server refused or failed: 4xx but for sign-in, 5xx, rate limit
        8  the answer was cut off: no end mark, or stalled
        9  the server ended it early: length or filter (--lenient makes it 0)
       10  the local store cannot be used
      130  interrupted   143  terminated   141  the reader went away

      With several lines (-c, -f) it is the status of the first that failed.
      """)

  static let environment = Topic(
    name: "environment", summary: "the variables that are read",
    body: """
      Example
          PARLEY_SERVER=http://gpu1:8000 parley "hello"

      PARLEY_SERVER      the server, a name or an address (--server wins)
      PARLEY_MODEL       the model (--model wins)
      PARLEY_TOKEN       the key for the server this run starts with
      PARLEY_HOME        one folder for all files
      OPENAI_BASE_URL    the server, when PARLEY_SERVER is not set
      OPENAI_API_KEY     the key for OPENAI_BASE_URL, or api.openai.com; it is
                         sent nowhere else
      NO_COLOR           no colour
      TERM=dumb          no colour, no redrawing
      ACCESSIBLE=1       no redrawing
      VISUAL, EDITOR     the editor of Ctrl-X Ctrl-E
      http_proxy, https_proxy, all_proxy, no_proxy   as everywhere
      XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME where files live
      """)

  static let files = Topic(
    name: "files", summary: "what is kept where",
    body: """
      Example
          PARLEY_HOME=/tmp/try parley      leaves your own files alone

      $XDG_CONFIG_HOME/parley/preferences.json   settings, yours to edit
      $XDG_CONFIG_HOME/parley/parleyrc           lines run at each start
      $XDG_DATA_HOME/parley/history.sqlite       sessions, answers, lines
      $XDG_DATA_HOME/parley/servers.json         servers and their models

      All are readable by you alone. /about shows the paths in use.
      """)

  static let json = Topic(
    name: "json", summary: "the objects of --json and --jsonl",
    body: """
      Example
          parley --json "2+2?" | python3 -m json.tool

      --json prints one object: text, reasoning, status, model, server,
      session, turn, usage (promptTokens, completionTokens, cost), timing
      (firstTokenMs, totalMs), toolCalls; a failure adds error (code, message,
      hint). status is complete, interrupted, cut-off, stalled, length,
      filtered or failed.

      --jsonl prints one object a line with "event": start, text, reasoning,
      notice, usage, finish (the object above).

      Listing commands print an array of objects: /history --json
      """)

  static let lines = Topic(
    name: "lines", summary: "what a line means",
    body: #"""
      Example
          /etc/hosts is empty, why?     is sent: its first word is a path

      text             a message
      /name            a command: its name, or the start of it when unambiguous
      //text           sends text that starts with a slash
      a leading space  sends the line as it is and keeps it out of recall
      """ … """        a message of several lines; so does a \ at the end
      !command         runs a command in your shell
      !!command        runs it and attaches its output to the next message

      A word after / that is no command is never sent: it comes back to edit.
      """#)
}
