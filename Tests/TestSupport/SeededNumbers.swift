import Foundation

/// Random numbers that a seed repeats (SplitMix64).
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

  /// A seed for this run, told so that a failure can be repeated: `VARIABLE=… swift test`.
  package static func seed(from variable: String) -> UInt64 {
    let seed =
      ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
    print("\(variable)=\(seed)")
    return seed
  }
}
