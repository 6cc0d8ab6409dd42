import Chat
import Text

/// What went wrong with a terminal, in words.
extension Complaint {
  init(_ error: TerminalError) {
    switch error {
    case .notInstalled(let program):
      self.init(
        "\(program) is not installed",
        hint: "apt install \(program); without it only parley at a prompt has terminals, which end with it", .failure)
    case .gone(let name):
      self.init("terminal \(name) has ended", hint: "/terminals lists those that there are", .failure)
    case .badName(let name):
      self.init(
        "no terminal can be called '\(name)'", hint: "letters, digits, - and _ make a name", .usage)
    case .nameTaken(let name):
      self.init(
        "there is a terminal '\(name)' already", hint: "/terminal attach \(Words.quoted(name)) uses it", .usage)
    case .holdsKeys:
      self.init(
        "the command has a control character in it, which is a key in a terminal",
        hint: "a tab is $'\\t' or a blank; /terminal attach takes keys", .usage)
    case .busy(let program):
      self.init(
        "\(program.isEmpty ? "something" : "\(program)") runs in it, and would read the command as text",
        hint: "/terminal attach goes there; /terminal run in another does it", .usage)
    case .unwatched(let name):
      self.init(
        "somebody took terminal \(name) for themselves: the command may run on",
        hint: "/terminal show \(name) prints what there is", .cutOff)
    case .lost(let name):
      self.init(
        "the connection to \(name) was lost: the command may run on",
        hint: "/terminal show \(name) prints what there is", .cutOff)
    case .notOffered(let service):
      let what: SafeText =
        switch service {
        case .making: "makes no terminals"
        case .showing: "does not tell what a terminal said before"
        case .watching: "begins its program anew for each connection: it cannot be watched"
        case .attaching: "takes whole lines alone, and no keys"
        case .closing: "closes no terminals"
        }
      self.init(
        "its server \(what)",
        hint: service == .attaching ? "/terminal run types one, /terminal show looks" : "/terminal attach uses one",
        .failure)
    case .server(let error): self.init(error, server: "")
    case .cancelled: self.init(.interrupted)
    case .failed(let words): self.init("\(words)", .failure)
    }
  }
}
