package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.store.Clock;
import io.weir.store.StoreOperation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snapshot file of a memory store: its content, and what happens if it is damaged. */
@Tag("slow")
class CounterSnapshotTest {
  private static final int HEADER_AND_TRAILER_BYTES = 48;
  private static final int COUNTER_BYTES = 24;
  private static final long MEBIBYTE = 1 << 20;

  private final FakeClock clock = new FakeClock();
  private final MemoryStore store = new MemoryStore(clock, 4 * MEBIBYTE);
  private CapturedLogs log;
  private @TempDir Path folder;

  @BeforeEach
  void captureLogs() {
    log = new CapturedLogs();
  }

  @AfterEach
  void releaseLogs() {
    log.close();
  }

  @Test
  void exhaustedCaller_isStillRefusedWithSameWait() throws IOException {
    for (Algorithm algorithm : Algorithms.all()) {
      assertThat(take(store, rule(algorithm, 10), "x", 10).admitted()).isTrue();
    }
    store.save(file());
    clock.advance(Duration.ofSeconds(3));
    MemoryStore loaded = load();
    assertThat(loaded.counters()).isEqualTo(5);
    for (Algorithm algorithm : Algorithms.all()) {
      ClaimOutcome refused = take(loaded, rule(algorithm, 10), "x", 10);
      assertThat(refused.admitted()).as(algorithm.name()).isFalse();
      assertThat(refused).isEqualTo(take(store, rule(algorithm, 10), "x", 10));
      assertThat(take(loaded, rule(algorithm, 10), "new", 10).admitted()).isTrue();
    }
  }

  @Test
  void freshCounters_areOmitted() throws IOException {
    Rule brief = Rule.named("brief").per("user").limit("10/second").build();
    for (int i = 0; i < 1000; i++) {
      take(store, brief, "caller " + i, 10);
    }
    take(store, rule(Algorithms.TOKEN_BUCKET, 10), "x", 10);
    clock.advance(Duration.ofSeconds(2));
    store.save(file());
    assertThat(Files.size(file())).isEqualTo(HEADER_AND_TRAILER_BYTES + COUNTER_BYTES);
    clock.advance(Duration.ofMinutes(2));
    assertThat(load().counters()).isZero();
  }

  @Test
  void truncatedFile_startsFresh() throws IOException {
    byte[] whole = smallSnapshot();
    for (int length = 0; length < whole.length; length++) {
      Files.write(file(), Arrays.copyOf(whole, length));
      assertFreshStart("cut at " + length);
    }
  }

  @Test
  void fileWithFlippedBit_startsFresh() throws IOException {
    byte[] whole = smallSnapshot();
    for (int at = 0; at < whole.length; at++) {
      for (int bit = 1; bit < 256; bit *= 2) {
        byte[] changed = whole.clone();
        changed[at] ^= (byte) bit;
        Files.write(file(), changed);
        assertFreshStart("bit " + bit + " of " + at);
      }
    }
  }

  @Test
  void foreignFile_startsFresh() throws IOException {
    byte[] whole = smallSnapshot();
    Files.write(file(), Arrays.copyOf(whole, whole.length + 8));
    assertThat(assertFreshStart("longer")).contains("it is damaged or truncated");
    Files.writeString(file(), "rules: [{id: api, per: [user], limit: 100/minute}]\n".repeat(100));
    assertThat(assertFreshStart("foreign")).contains("it is not a snapshot");
    whole[11] = 7;
    Files.write(file(), whole);
    assertThat(assertFreshStart("newer"))
        .contains("it has version 7, but only version 1 is supported");
    Files.delete(file());
    Files.createDirectory(file());
    assertThat(assertFreshStart("a folder")).contains(file().toString());
  }

  @Test
  void missingFile_logsNoWarning() {
    MemoryStore loaded = load();
    assertThat(loaded.counters()).isZero();
    assertThat(log.lines()).isEmpty();
    assertThatThrownBy(() -> MemoryStore.load(file(), clock, 1000)).hasMessageContaining("1 MiB");
  }

  @Test
  void failedWrite_keepsOldFile() throws IOException {
    take(store, rule(Algorithms.TOKEN_BUCKET, 10), "x", 10);
    store.save(file());
    Files.writeString(folder.resolve("counters.next"), "left by an interrupted process");
    Clock broken =
        new Clock() {
          @Override
          public long micros() {
            return clock.micros();
          }

          @Override
          public long wallMicros() {
            throw new IllegalStateException("no wall");
          }
        };
    assertThatThrownBy(() -> new MemoryStore(broken, MEBIBYTE).save(file())).hasMessage("no wall");
    assertThatThrownBy(() -> store.save(file().resolve("below a file")))
        .isInstanceOf(IOException.class);
    assertThat(folder)
        .isDirectoryContaining("glob:**/counters")
        .isDirectoryNotContaining("glob:**.next");
    assertThat(load().counters()).isEqualTo(1);
  }

  @Test
  void file_isReadableByOwnerOnly() throws IOException {
    Path below = folder.resolve("a/b/counters");
    store.save(below);
    MemoryStore loaded = MemoryStore.load(below, clock, MEBIBYTE);
    assertThat(loaded.fingerprint().of("x")).isEqualTo(store.fingerprint().of("x"));
    if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(below)))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void smallerStore_evictsNonExhaustedCountersFirst() throws IOException {
    MemoryStore large = new MemoryStore(clock, 32 * MEBIBYTE);
    Rule rule = rule(Algorithms.TOKEN_BUCKET, 10);
    for (int i = 0; i < 200_000; i++) {
      assertThat(take(large, rule, "caller " + i, i % 20 == 0 ? 10 : 1).admitted()).isTrue();
    }
    large.save(file());
    MemoryStore small = MemoryStore.load(file(), clock, 2 * MEBIBYTE);
    assertThat(small.bytes()).isLessThanOrEqualTo(2 * MEBIBYTE);
    assertThat(small.evicted()).isPositive();
    for (int i = 0; i < 200_000; i += 20) {
      assertThat(peek(small, rule, large.fingerprint(), "caller " + i).admitted()).isFalse();
    }
  }

  @Test
  void millionCounters_areReadAsWritten() throws IOException {
    MemoryStore large = new MemoryStore(clock, 64 * MEBIBYTE);
    Rule rule = rule(Algorithms.TOKEN_BUCKET, 10);
    for (int i = 0; i < 1_000_000; i++) {
      take(large, rule, "caller " + i, 1 + i % 10);
    }
    large.save(file());
    assertThat(Files.size(file())).isEqualTo(HEADER_AND_TRAILER_BYTES + 1_000_000L * COUNTER_BYTES);
    MemoryStore loaded = MemoryStore.load(file(), clock, 64 * MEBIBYTE);
    assertThat(loaded.counters()).isEqualTo(1_000_000);
    assertThat(loaded.evicted() + loaded.rejectedForSpace()).isZero();
    for (int i = 0; i < 1_000_000; i += 7) {
      assertThat(peek(loaded, rule, large.fingerprint(), "caller " + i).remaining())
          .isEqualTo(9 - i % 10);
    }
  }

  @Test
  void decisions_continueDuringWrite() throws Exception {
    Rule rule = rule(Algorithms.SLIDING_LOG, 1000);
    Rule wide = rule(Algorithms.TOKEN_BUCKET, 100_000_000);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      List<Future<Integer>> futures = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        futures.add(
            pool.submit(
                () -> {
                  int admitted = 0;
                  for (int i = 0; !done.get() || i < 1000; i++) {
                    admitted += take(store, rule, "hot", 1).admitted() ? 1 : 0;
                    assertThat(take(store, wide, "caller " + i % 5000, 1).admitted()).isTrue();
                  }
                  return admitted;
                }));
      }
      long last = 0;
      for (int i = 0; i < 30; i++) {
        store.save(file());
        MemoryStore loaded = load();
        long used = 1000 - peek(loaded, rule, store.fingerprint(), "hot").remaining();
        assertThat(used).isGreaterThanOrEqualTo(last);
        last = used;
      }
      done.set(true);
      int admitted = 0;
      for (Future<Integer> future : futures) {
        admitted += future.get();
      }
      assertThat(admitted).isEqualTo(1000);
    } finally {
      done.set(true);
      pool.shutdownNow();
    }
  }

  /** A snapshot with one state of every algorithm. */
  private byte[] smallSnapshot() throws IOException {
    for (int seconds : new int[] {62, 8, 1}) {
      for (Algorithm algorithm : Algorithms.all()) {
        take(store, rule(algorithm, 10), "x", 3);
      }
      clock.advance(Duration.ofSeconds(seconds));
    }
    store.save(file());
    assertThat(load().counters()).as("valid file").isEqualTo(5);
    return Files.readAllBytes(file());
  }

  /** Loads the file, asserts an empty store with exact limits, and returns the one warning. */
  private String assertFreshStart(String description) {
    log.lines().clear();
    MemoryStore loaded = load();
    assertThat(loaded.counters()).as(description).isZero();
    assertThat(loaded.fingerprint().of("x"))
        .as(description)
        .isNotEqualTo(store.fingerprint().of("x"));
    Rule rule = rule(Algorithms.SLIDING_COUNTER, 10);
    assertThat(take(loaded, rule, "x", 10).admitted()).as(description).isTrue();
    assertThat(take(loaded, rule, "x", 1).admitted()).as(description).isFalse();
    assertThat(log.lines()).as(description).hasSize(1);
    return log.lines().get(0);
  }

  private MemoryStore load() {
    return MemoryStore.load(file(), clock, 4 * MEBIBYTE);
  }

  private Path file() {
    return folder.resolve("counters");
  }

  private static Rule rule(Algorithm algorithm, long permits) {
    return Rule.named(algorithm.name())
        .per("user")
        .algorithm(algorithm.name())
        .limit(permits + "/minute")
        .build();
  }

  private static ClaimOutcome take(MemoryStore store, Rule rule, String caller, long cost) {
    return apply(store, StoreOperation.TAKE, rule, store.fingerprint(), caller, cost);
  }

  private static ClaimOutcome peek(
      MemoryStore store, Rule rule, Fingerprint fingerprint, String caller) {
    return apply(store, StoreOperation.PEEK, rule, fingerprint, caller, 1);
  }

  private static ClaimOutcome apply(
      MemoryStore store,
      StoreOperation operation,
      Rule rule,
      Fingerprint fingerprint,
      String caller,
      long cost) {
    Claim[] claims = {
      Claim.of(CompiledRule.of(rule).limits().get(0), fingerprint.of(caller), cost)
    };
    return store.apply(claims, operation).join()[0];
  }
}
