import Chat
import Store

/// What the person chooses on a gateway: it goes along with each message.
extension Links {
  mutating func choose(_ change: (inout GatewayChoice) -> Void, _ desk: inout Desk) throws(ShellError) {
    var choice = link.server.gateway ?? GatewayChoice()
    change(&choice)
    link.server.gateway = choice.isEmpty ? nil : choice
    if link.isKept {
      do throws(Servers.Failure) { try kept.choose(link.server.gateway, of: link.server.name) } catch {
        throw .servers(error)
      }
    }
    link.backend = link.backend.choosing(link.server.gateway)
  }
}
