package io.weir.bench;

import io.weir.bench.report.MeasurementPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures one method of a JMH class in a separate JVM. Its heap is pre-touched, otherwise
 * allocations would include page faults.
 *
 * @param rounds the number and length of iterations
 * @param heap of the measured JVM, such as {@code 1g}
 */
record JmhRunner(MeasurementPlan rounds, Class<?> type, String heap) {

  /** Returns a measurement of the method's score. */
  MeasurementPlan.Measurement scoreOf(String method, int threads, Map<String, String> params) {
    return () -> run(options(method, threads, params)).getPrimaryResult().getScore();
  }

  /** Returns a measurement of the bytes that one call allocates. */
  MeasurementPlan.Measurement allocationOf(String method, Map<String, String> params) {
    return () -> {
      ChainedOptionsBuilder options = options(method, 1, params).addProfiler(GCProfiler.class);
      Result<?> bytes = run(options).getSecondaryResults().get("gc.alloc.rate.norm");
      if (bytes == null) {
        throw new IllegalStateException("this JVM does not report allocations per thread");
      }
      return bytes.getScore();
    };
  }

  private ChainedOptionsBuilder options(String method, int threads, Map<String, String> params) {
    TimeValue iteration = TimeValue.milliseconds(rounds.iterationMillis());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + type.getName().replace(".", "\\.") + "\\." + method + "$")
            .threads(threads)
            .forks(1)
            .jvmArgs("-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch")
            .warmupIterations(rounds.warmups())
            .warmupTime(iteration)
            .measurementIterations(rounds.iterations())
            .measurementTime(iteration)
            .timeout(TimeValue.minutes(1))
            .shouldFailOnError(true);
    params.forEach(options::param);
    return options;
  }

  /** Runs the selected benchmark; the output of JMH is printed only if it fails. */
  private static RunResult run(ChainedOptionsBuilder options) throws Exception {
    Path log = Files.createTempFile("weir-jmh", ".log");
    log.toFile().deleteOnExit(); // an interrupted run leaves nothing behind
    try {
      return new Runner(options.output(log.toString()).build()).runSingle();
    } catch (RunnerException e) {
      System.err.print(Files.readString(log));
      throw e;
    } finally {
      Files.delete(log);
    }
  }
}
