import TestSupport
import Testing
import Text

@Suite struct PropertyTests {
  private let seed = SeededNumbers.seed(from: "TEXT_SEED")

  @Test func `any text in any pieces is harmless, the same, and filtered for good`() {
    var random = SeededNumbers(seed: seed)
    for number in 0..<16_000 {
      let text = random.text(upTo: 24)
      let profile = random.pick(Filter.Profile.all)
      let whole = filtered([text], profile)
      let told: Comment = "TEXT_SEED=\(seed), case \(number), \(profile): \(text.debugDescription)"
      #expect(harm(in: whole.text, profile) == nil, told)
      #expect(filtered(random.pieces(of: text), profile) == whole, told)
      #expect(filtered([whole.text], profile) == Filtered(text: whole.text), told)
    }
  }

  @Test func `any bytes in any pieces are harmless, the same, and decoded as a whole`() {
    var random = SeededNumbers(seed: seed)
    for number in 0..<6_000 {
      let bytes = random.bytes(upTo: 16)
      let profile = random.pick(Filter.Profile.all)
      let whole = filtered([String(decoding: bytes, as: UTF8.self)], profile)
      let told: Comment = "TEXT_SEED=\(seed), case \(number), \(profile): \(bytes)"
      #expect(harm(in: whole.text, profile) == nil, told)
      #expect(filtered(bytes: random.pieces(of: bytes), profile) == whole, told)
    }
  }

  @Test func `a name cut to any width fits and is cut for good`() {
    var random = SeededNumbers(seed: seed)
    for number in 0..<3_000 {
      let width = random.below(14)
      let text = random.text(upTo: 16)
      let name = Filter.inline(text, width: width)
      let told: Comment = "TEXT_SEED=\(seed), case \(number), \(width): \(text.debugDescription)"
      #expect(name.cells <= width, told)
      #expect(Filter.inline(name.string, width: width) == name, told)
    }
  }
}
