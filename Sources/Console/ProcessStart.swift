import CTerminal

/// Makes the process private and deaf: files for the owner only, no core dump, SIGPIPE ignored, ending and job signals
/// left to the console's thread, a UTF-8 locale. To be called first in main, before any other thread exists.
package func hardenProcess() { console_harden() }
