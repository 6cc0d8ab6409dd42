import Foundation

/// The seconds that this thread has computed for: unlike those of a clock they pass for nobody who waits for a core.
package func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
