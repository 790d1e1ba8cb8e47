package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;

/**
 * What one load on one candidate showed while it was watched.
 *
 * @param granted of the answers, how many said yes
 * @param cpuMicros the CPU time Redis used
 * @param commands what Redis ran, inside scripts too
 */
record LoadSample(
    double seconds, LatencyHistogram latencies, long granted, double cpuMicros, long commands) {

  long answers() {
    return latencies.count();
  }

  double thousandsPerSecond() {
    return answers() / seconds / 1e3;
  }

  double cpuMicrosPerAnswer() {
    return cpuMicros / answers();
  }

  /** The commands per thousand answers, of at least one command. */
  double commandsPerThousandAnswers() {
    return Math.max(1, commands) * 1e3 / answers();
  }

  double grantedShare() {
    return granted / (double) answers();
  }
}
