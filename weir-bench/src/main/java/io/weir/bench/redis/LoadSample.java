package io.weir.bench.redis;

import io.weir.bench.report.LatencyHistogram;

/**
 * The measurements of one load on one candidate.
 *
 * @param granted the number of answers that allowed the request
 * @param cpuMicros the CPU time of Redis
 * @param commands the commands that Redis ran, including those in scripts
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

  /** Returns the commands per thousand answers, counting at least one command. */
  double commandsPerThousandAnswers() {
    return Math.max(1, commands) * 1e3 / answers();
  }

  double grantedShare() {
    return granted / (double) answers();
  }
}
