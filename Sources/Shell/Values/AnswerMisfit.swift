import Wire

/// Why an answer is not the JSON that was asked for, or is not known to be.
enum AnswerMisfit: Equatable {
  case notJSON(JSON.Failure)
  case schema(JSONSchema.Misfit)
  case unchecked(JSONSchema.Unchecked)

  /// nil when it fits.
  init?(of answer: String, _ schema: JSONSchema, isStopped: @escaping () -> Bool) {
    let json: JSON
    do throws(JSON.Failure) {
      json = try JSON(parsing: Array(answer.utf8))
    } catch {
      self = .notJSON(error)
      return
    }
    do throws(JSONSchema.Unchecked) {
      guard let misfit = try schema.misfit(of: json, isStopped: isStopped) else { return nil }
      self = .schema(misfit)
    } catch {
      self = .unchecked(error)
    }
  }
}
