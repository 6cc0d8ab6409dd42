import Chat
import Transport
import Wire

/// Finds the base address of an OpenAI-compatible API by asking for its models (docs/openai.md 1).
enum OpenAIProbe {
  @Sendable static func find(_ place: inout ProbedOrigin) async throws(TransportError) -> FoundServer? {
    var guarded: FoundServer?
    for base in place.bases {
      let url = base + "/models"
      let document: Document
      do throws(TransportError) {
        document = try await place.get(url)
      } catch {
        if let guarded, error != .cancelled { return guarded }
        throw error
      }
      if document.status == 200, let list = OpenAIModelList(document.json) {
        let models =
          place.isBrief ? list.models : await list.withContextWindows(asking: place.endpoint(at: base, of: .openAI))
        return FoundServer(kind: Kind.openAI.name, url: base, models: models)
      }
      if refusesList(document) {
        // A guard in front of everything says the same at a wrong path: the usual one, which comes last, is preferred.
        guarded = FoundServer(kind: Kind.openAI.name, url: base, models: nil)
      } else {
        place.note(url, document)
      }
    }
    return guarded
  }

  /// Whether an API refuses its list to this user: the key is missing or wrong, or may not list, or has no budget left.
  /// What is not JSON came from something else.
  static func refusesList(_ document: Document) -> Bool {
    guard (try? JSON(parsing: document.bytes)) != nil else { return false }  // only whether it is
    let error = ErrorBody(document.said)
    return [401, 403].contains(document.status) || error.reportsInvalidKey(status: document.status)
      || 400..<500 ~= document.status && error.isAboutBudget
  }

  /// What came instead of a list of models, in a few words; `other` is for JSON without a message.
  static func description(of bytes: [UInt8], else other: String = "JSON without models") -> String {
    if let page = HTMLPage(bytes) { return page.description }
    let error = ErrorBody(bytes)
    let isJSON = (try? JSON(parsing: bytes)) != nil  // only whether it is
    if error.message.isEmpty { return isJSON ? other : "nothing" }
    return "\(isJSON ? "JSON" : "text") \"\(error.message.prefix(80))\""
  }
}
