import Transport
import Wire

/// What the model that answers says of itself.
struct LocalModel: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  var name: String
  var contextWindow: Int?

  /// Asks at `address`/models.
  static func ask(_ address: String, by http: any HTTP) async throws -> LocalModel {
    do throws(TransportError) {
      let response = try await http.send(HTTPRequest("GET", address + "/models"))
      var bytes: [UInt8] = []
      while let more = try await response.body.next(timeout: 30) { bytes += more }
      // Whatever is not such a list has no first model either.
      guard let model = (try? JSON(parsing: bytes))?["data"]?[0], let name = model["id"]?.string else {
        throw TransportError.other("no list of models")
      }
      let window = model["meta"]?["n_ctx"]?.int ?? model["max_model_len"]?.int ?? model["meta"]?["n_ctx_train"]?.int
      return LocalModel(name: name, contextWindow: window)
    } catch {
      throw Failure(description: "no model answers at \(address) (\(error))")
    }
  }
}
