import CTerminal
import Foundation
import Shell
import Text

/// Having the terminal lent to one elsewhere.
extension ConsoleLoop {
  /// nil when that one has ended by itself.
  func attach(_ attachment: Attachment) -> AttachEnd? {
    if let ending = endingSignal { return .signal(ending) }
    guard takeTerminal() else { return .detached }
    screen.leavePrompt()
    enterRaw()
    // What was typed ahead is the other terminal's.
    if options.edits, options.isInteractive, let editor { typed = editor.takeTypedAhead() }
    attachment.resize(columns: screen.size.columns, rows: screen.size.rows)
    attachment.begin()
    let end = follow(attachment)
    if case .signal(let signal)? = end {
      // Whoever ends us waits no longer than for anything else.
      guard attachment.leave(within: 0.5) else { screen.leave(128 + signal) }
    } else {
      while !attachment.leave(within: 60) {}
    }
    takeScreenBack(from: attachment)
    if !options.isInteractive { giveBack() }
    return end
  }

  private func takeScreenBack(from attachment: Attachment) {
    let left = attachment.screen
    screen.reclaim(isAlternate: left.isAlternate, changesKeys: left.changesKeys)
    screen.wasLent()
    screen.beginLine()
    takeBack()
  }

  private func follow(_ attachment: Attachment) -> AttachEnd? {
    var keys = DetachKeys()
    while true {
      if attachment.end != nil { return nil }
      if !typed.isEmpty {
        var taken: [UInt8] = []
        swap(&taken, &typed)
        let (ours, wishes) = keys.take(taken)
        taken.wipe()
        attachment.type(ours)
        for wish in wishes {
          switch wish {
          case .leave: return .detached
          case .help:
            attachment.remark(.text("~. detaches, ~^Z stops parley, ~~ types ~; each where a line begins", .dim))
          case .stop: stopAttached(attachment)
          }
        }
      }
      switch wait(for: [modes.descriptor, wakeDescriptor]) {
      case .ready:
        guard readTyped() else {
          end(SIGHUP)
          return .signal(SIGHUP)
        }
      case .signal(SIGWINCH): attachment.resize(columns: screen.size.columns, rows: screen.size.rows)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        end(signal)
        return .signal(signal)
      case .signal(SIGTSTP): stopAttached(attachment)
      case .signal(SIGCONT): goOn(with: attachment)
      case .signal, .order, .timeout: break
      }
    }
  }

  /// Stops the process as Ctrl-Z does, with the terminal as whoever takes over expects it.
  private func stopAttached(_ attachment: Attachment) {
    takeScreenBack(from: attachment)
    giveBack()
    console_stop()
    waitForForeground()
    goOn(with: attachment)
  }

  /// Somebody else had the terminal meanwhile, and set what they wanted.
  private func goOn(with attachment: Attachment) {
    enterRaw()
    screen.resume(isAlternate: attachment.screen.isAlternate, marksPastes: attachment.screen.marksPastes == true)
    attachment.redraw(columns: screen.size.columns, rows: screen.size.rows)
  }
}
