import Chat
import Wire

/// What a message is sent with, for the place in the conversation where it goes (docs/chatui.md 4).
struct ChatUIPlace {
  var data: JSON
  /// Files of the message that it takes the place of.
  var files: [ChatUIFile] = []
  /// Whether it asks for another answer to the same message.
  var isAgain: Bool { data["inputs"] == nil }
  /// Whether somebody went on behind the same answer elsewhere.
  var isBranch = false

  /// - Parameters:
  ///   - generation: our name for the answer, to stop it by.
  ///   - tree: the conversation as it is now; nil for one that is new, where `root` is all there is.
  /// nil where the place is not in the conversation any more.
  init?(_ text: String, at place: RemotePlace?, in tree: ChatUITree?, root: String?, generation: String) {
    var (parent, isRetry, inputs): (String?, Bool, String?) = (root, false, text)
    switch place {
    case .atStart: break
    case nil, .atEnd: parent = tree?.leaf?.id ?? root
    case .after(let answer):
      guard let tree, tree[answer] != nil else { return nil }
      parent = answer
      isBranch = tree.children(of: answer).contains { $0.from == "user" }
    case .again(let answer):
      guard let tree, tree[answer] != nil else { return nil }
      (parent, isRetry, inputs) = (answer, true, nil)
    case .instead(let question):
      guard let message = tree?[question] else { return nil }
      (parent, isRetry) = (question, true)
      files = (message.json["files"]?.array ?? []).compactMap(ChatUIFile.init)
    case .running: return nil
    }
    data = ["is_retry": .bool(isRetry), "is_continue": false, "generationId": .string(generation)]
    if let parent { data["id"] = .string(parent) }
    if let inputs { data["inputs"] = .string(inputs.replacing("\r\n", with: "\n")) }
  }
}
