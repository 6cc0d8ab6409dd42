import Chat
import Store
import Testing
import Text

@testable import Shell

@Suite struct DoctorTests {
  @Test func `a finding fits a narrow screen, with what to do below`() {
    let finding = Finding.failed(
      .certificate, Complaint("the certificate is not trusted", hint: "/server trust kz", .untrusted))
    let lines = finding.lines(columns: 40).string.split(separator: "\n")
    #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 40 })
    #expect(finding.lines(columns: 80).map(\.style) == [.error, .plain, .plain, .hint])
    #expect(Finding.ok(.name, "x").lines(columns: 80).first?.style == .good)
    #expect(Finding.skipped(.name, "x").lines(columns: 80).last?.style == .dim)
  }

  @Test func `an obstacle is a check that failed, not one that was skipped`() {
    var diagnosis = Diagnosis(asJSON: true, terminal: SilentTerminal())
    diagnosis.add(.ok(.name, ""))
    diagnosis.add(.skipped(.signIn, ""))
    #expect(diagnosis.obstacle(among: [.name, .signIn]) == nil && diagnosis.status == nil)
    diagnosis.add(.failed(.models, Complaint("", .refused)))
    diagnosis.add(.failed(.answer, Complaint("", .cutOff)))
    #expect(diagnosis.obstacle(among: [.name, .answer, .models]) == .answer)
    #expect(diagnosis.status == .refused)
  }

  @Test func `a day is written as the calendar has it`() {
    #expect(Moments.day(1_850_000_000) == "2028-08-16")
    #expect(Moments.day(.max) == "9999-12-31")
  }
}

private struct SilentTerminal: Terminal {
  let traits = TerminalTraits(outputIsTerminal: false, noticesAreTerminal: false, columns: 80)
  func write(_ text: StyledText, to channel: Channel) {}
  func status(_ text: StyledText?) {}
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {}
  var endingSignal: Int32? { nil }
  var outputFailure: String? { nil }
  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: "", reason: "")
  }
}
