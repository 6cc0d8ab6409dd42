import CTerminal
import Glibc

/// Makes the process private and deaf: files for the owner only, no core dump, SIGPIPE ignored, ending and job signals
/// left to the console's thread, a UTF-8 locale. To be called first in main, before any other thread exists.
package func hardenProcess() { console_harden() }

/// The arguments of the process without the program's name. `CommandLine.arguments` needs /proc.
package func programArguments() -> [String] {
  (0..<console_argument_count()).dropFirst().compactMap { index in console_argument(index).map { String(cString: $0) } }
}

/// The umask the process was started with: for the files of programs that it starts. Ours is for our own.
package func originalUmask() -> UInt32 { console_original_umask() }

/// Ends the process, with the terminal as it was found.
///
/// Not by `exit`, which takes down what other threads may be using to the last, such as libcurl's state and OpenSSL's: now
/// and then two of them freed the same thing. What has to be kept was waited for.
package func leaveProcess(_ status: Int32) -> Never {
  console_restore_whole()
  fflush(nil)
  _exit(status)
}
