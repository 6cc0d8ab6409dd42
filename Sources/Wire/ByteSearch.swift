import Glibc

extension UnsafeBufferPointer<UInt8> {
  /// Where a byte is first, from an offset on: the library looks at many bytes at once.
  func first(_ byte: UInt8, from offset: Int) -> Int? {
    guard let start = baseAddress, offset < count else { return nil }
    guard let found = memchr(start + offset, Int32(byte), count - offset) else { return nil }
    return UnsafeRawPointer(start).distance(to: UnsafeRawPointer(found))
  }
}
