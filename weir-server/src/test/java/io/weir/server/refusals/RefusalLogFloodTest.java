package io.weir.server.refusals;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.Decision;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A million refusals produce few lines and little garbage, and all are accounted for. */
class RefusalLogFloodTest {
  private static final int THREADS = 4;
  private static final int REFUSALS_PER_THREAD = 250_000;
  private static final int PER_SECOND = 20;

  @Test
  void millionRefusals_areWrittenOrCountedAsDropped(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("refusals.log");
    Rule rule = Rule.named("flooded").limit("1/day").build();
    Clock clock = Clock.system();
    long began = clock.micros();
    try (RefusalLog log = RefusalLog.open("file:" + file, PER_SECOND, Optional.empty())) {
      Decision refused = Weir.inMemory(rule).decideNow(Request.of().cost(2));
      assertThat(refused.allowed()).isFalse();
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Future<Long>> floods =
            IntStream.range(0, THREADS)
                .mapToObj(i -> threads.submit(() -> flood(log, refused)))
                .toList();
        for (Future<Long> flood : floods) {
          assertThat(flood.get()).as("bytes allocated for each refusal").isLessThan(200);
        }
      } finally {
        threads.shutdownNow();
      }
    }
    long seconds = (clock.micros() - began) / 1_000_000 + 2;
    RefusalLogLines lines = RefusalLogLines.of(Files.readAllLines(file));
    assertThat(lines.total()).isEqualTo((long) THREADS * REFUSALS_PER_THREAD);
    assertThat(lines.refused()).isBetween((long) PER_SECOND, PER_SECOND * seconds);
    assertThat(Files.size(file)).isLessThan(seconds * (PER_SECOND + 1) * 300);
  }

  private static long flood(RefusalLog log, Decision refused) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Request request = Request.of("user", "ann", "endpoint", "GET /x");
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < REFUSALS_PER_THREAD; i++) {
      log.onDecision(request, refused);
    }
    return (threads.getCurrentThreadAllocatedBytes() - before) / REFUSALS_PER_THREAD;
  }
}
