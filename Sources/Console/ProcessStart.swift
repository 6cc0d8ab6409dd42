import CTerminal

/// Makes the process private and deaf: files for the owner only, no core dump, SIGPIPE ignored, ending and job signals
/// left to the console's thread, a UTF-8 locale. To be called first in main, before any other thread exists.
package func hardenProcess() { console_harden() }

/// The umask the process was started with: for the files of programs that it starts. Ours is for our own.
package func originalUmask() -> UInt32 { console_original_umask() }
