import Testing

@testable import Shell

@Suite struct ByteSizeTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 KB"), (9999, "9 KB"), (1_000_000, "1.0 MB"),
    (24_500_000, "24 MB"), (4_700_000_007, "4.7 GB"), (Int.max, "9.2 EB"),
  ]) func `a size is said in the unit that fits`(_ count: Int, _ text: String) {
    #expect(ByteSize.text(count).string == text)
  }
}
