import Wire

/// Why an answer is not the JSON that was asked for.
enum AnswerMisfit: Equatable {
  case notJSON(JSON.Failure)
  case schema(JSONSchema.Misfit)

  /// nil when it fits.
  init?(of answer: String, _ schema: JSONSchema, isStopped: () -> Bool) {
    let json: JSON
    do throws(JSON.Failure) {
      json = try JSON(parsing: Array(answer.utf8))
    } catch {
      self = .notJSON(error)
      return
    }
    guard let misfit = schema.misfit(of: json, isStopped: isStopped) else { return nil }
    self = .schema(misfit)
  }
}
