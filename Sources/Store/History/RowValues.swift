import GRDB

/// A history is a file that other programs can write: a column may hold what was never put there, and GRDB ends the process
/// for a value that it cannot convert.
extension Row {
  /// The value of a column; nil where it is of another kind, as where it is NULL.
  func value<T: DatabaseValueConvertible>(_ column: String) -> T? {
    (self[column] as DatabaseValue?).flatMap(T.fromDatabaseValue)
  }

  /// Unix milliseconds that can be reckoned with: from 1970 to the year 9999.
  func moment(_ column: String) -> Int { Swift.min(Swift.max(0, value(column) ?? 0), 253_402_300_799_999) }
}
