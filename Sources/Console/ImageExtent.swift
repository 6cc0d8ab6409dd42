import Chat

/// The cells that an image is drawn over.
struct ImageExtent: Equatable {
  var columns: Int
  var rows: Int

  /// As large as it is, or as fits the width of the screen and two thirds of its height.
  /// - Parameters:
  ///   - screen: its columns and rows.
  ///   - cell: width and height in pixels, 0 where the terminal does not say.
  /// - Returns: nil where there is no room for any.
  init?(_ size: ImageHeader.Size, on screen: (columns: Int, rows: Int), cell: (width: Int, height: Int)) {
    let most = (columns: screen.columns - 1, rows: screen.rows * 2 / 3)
    guard most.columns > 0, most.rows > 0 else { return nil }
    let known = cell.width > 0 && cell.height > 0
    let (width, height) = known ? (Double(cell.width), Double(cell.height)) : (10, 20)
    let scale = min(
      1, Double(most.columns) * width / Double(size.width), Double(most.rows) * height / Double(size.height))
    func cells(_ pixels: Int, _ unit: Double, _ most: Int) -> Int {
      min(most, max(1, Int((Double(pixels) * scale / unit).rounded(.up))))
    }
    columns = cells(size.width, width, most.columns)
    rows = cells(size.height, height, most.rows)
  }
}
