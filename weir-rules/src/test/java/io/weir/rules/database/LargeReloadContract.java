package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rules.DecisionPauseMeter;
import io.weir.testkit.Await;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Any database: the time to read many rules and keys, and whether it blocks decisions. */
@Timeout(600)
@Tag("slow")
abstract class LargeReloadContract extends DatabaseTestBase {
  private static final int RULES = 10_000;
  private static final int KEYS = 100_000;
  private static final Duration MAX_WAIT = Duration.ofMinutes(5);
  private static final Duration MAX_CPU_TIME = Duration.ofSeconds(1);
  private static final Request REQUEST = Request.of("path", "/a/77", "user", "1", "tier", "pro");
  private static final String RULE_TEMPLATE =
      "{\"id\":\"rule-%s\",\"match\":{\"path\":\"/a/%s/**\",\"tier\":[\"free\",\"pro\"]},"
          + "\"per\":[\"user\"],\"limit\":\"10000000/second\",\"burst\":1000000}";
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The processor time of reads, which does not depend on other load of the machine. */
  private final Map<String, List<Duration>> cpuTimes = new LinkedHashMap<>();

  @SuppressWarnings("NullAway.Init")
  private DatabaseRules node;

  private long pollerThreadId;

  @BeforeEach
  void open() {
    Set<Long> others = pollerThreadIds();
    node = openNode();
    pollerThreadId =
        pollerThreadIds().stream().filter(id -> !others.contains(id)).findAny().orElseThrow();
    Await.until(MAX_WAIT, "a database that has just started", this::putFirstRule);
  }

  private boolean putFirstRule() {
    try {
      node.put(rule("always", 1_000_000), "ann", 0);
      return true;
    } catch (DatabaseException e) {
      return false;
    }
  }

  @Test
  void tenThousandRulesChanged_decisionsAreNotBlocked() {
    try (DecisionPauseMeter pauses = new DecisionPauseMeter(Weir.inMemory(node), REQUEST)) {
      assertNotBlocked(
          pauses.measure(1, i -> prepareAndGet(i > 0, this::removeRules, this::addRules)));
      assertNotBlocked(
          pauses.measure(1, i -> prepareAndGet(i > 0, this::addRules, this::removeRules)));
      addRules().run();
      assertNotBlocked(pauses.measure(1, this::changeRules));
    }
    long start = THREADS.getCurrentThreadCpuTime();
    node.put(rule("always", 1), "ann", node.revision("always"));
    Duration one = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start);
    System.out.println(databaseName() + " one rule changed among them: " + one.toMillis() + " ms");
    assertThat(one)
        .as("time to read only the changed rule")
        .isLessThan(shortestCpuTime("rules changed"));
    assertReadWithinASecond();
  }

  @Test
  void hundredThousandKeysChanged_decisionsAreNotBlocked() {
    try (DecisionPauseMeter pauses = new DecisionPauseMeter(Weir.inMemory(node), REQUEST)) {
      assertNotBlocked(
          pauses.measure(1, i -> prepareAndGet(i > 0, this::removeKeys, this::addKeys)));
      assertNotBlocked(
          pauses.measure(1, i -> prepareAndGet(i > 0, this::addKeys, this::removeKeys)));
      addKeys().run();
      assertNotBlocked(pauses.measure(1, this::deleteKey));
    }
    assertReadWithinASecond();
  }

  private static Runnable prepareAndGet(
      boolean needed, Supplier<Runnable> first, Supplier<Runnable> then) {
    if (needed) {
      first.get().run();
    }
    return then.get();
  }

  private Runnable addRules() {
    String insert =
        "INSERT INTO weir_rule (id, position, body, revision) SELECT 'rule-' || n, n + 10, '"
            + RULE_TEMPLATE.formatted("' || n || '", "' || n || '")
            + "', 0 FROM "
            + numbers(RULES);
    return timedReload("rules added", () -> node.current().rules().size() > RULES, List.of(insert));
  }

  private Runnable removeRules() {
    String delete = "DELETE FROM weir_rule WHERE id <> 'always'";
    return timedReload("rules removed", () -> node.current().rules().size() == 1, List.of(delete));
  }

  private Runnable changeRules(int round) {
    int burst = 1_000_000 + round;
    String update =
        "UPDATE weir_rule SET body = REPLACE(body, ':%d}', ':%d}') WHERE id <> 'always'"
            .formatted(burst, burst + 1);
    BooleanSupplier read =
        () ->
            Optional.ofNullable(node.current().rule("rule-7")).map(Rule::burst).orElse(0L) > burst;
    return timedReload("rules changed", read, List.of(update));
  }

  private Runnable addKeys() {
    boolean postgres = SqlDialect.of(url()) == SqlDialect.POSTGRESQL;
    String digest =
        postgres
            ? "ENCODE(SHA256(('weir_key_' || n)::bytea), 'hex')"
            : "RAWTOHEX(HASH('SHA-256', STRINGTOUTF8('weir_key_' || n)))";
    String insert =
        "INSERT INTO weir_key (id, hash, owner, tier, who, revision) SELECT 'key-' || n, "
            + digest
            + ", 'user-' || n, 'pro', 'ann', (SELECT revision FROM weir_revision WHERE kind = 'keys') + 1 FROM "
            + numbers(KEYS);
    return timedReload("keys added", () -> has(1) && has(KEYS), withoutTrigger(insert, "deleted"));
  }

  private Runnable removeKeys() {
    List<String> delete = withoutTrigger("DELETE FROM weir_key", "revision + 1");
    return timedReload("keys removed", () -> !has(1) && !has(KEYS), delete);
  }

  /** Deletes one key, after which all others are read again. */
  private Runnable deleteKey(int round) {
    String delete = "DELETE FROM weir_key WHERE id = 'key-" + (round + 1) + "'";
    return timedReload("keys read again", () -> !has(round + 1), List.of(delete));
  }

  private boolean has(int key) {
    return node.keys().verify("weir_key_" + key).isPresent();
  }

  /** Disables the row trigger, which is slow for many rows. */
  private List<String> withoutTrigger(String statement, String deleted) {
    String move =
        "UPDATE weir_revision SET revision = revision + 1, deleted = %s WHERE kind = 'keys'"
            .formatted(deleted);
    return SqlDialect.of(url()) == SqlDialect.POSTGRESQL
        ? List.of(
            "ALTER TABLE weir_key DISABLE TRIGGER USER",
            statement,
            "ALTER TABLE weir_key ENABLE TRIGGER USER",
            move)
        : List.of(
            "DROP TRIGGER weir_key_written",
            statement,
            "CREATE TRIGGER weir_key_written BEFORE INSERT, UPDATE, DELETE ON weir_key FOR EACH ROW CALL '"
                + H2Trigger.class.getName()
                + "'",
            move);
  }

  private String numbers(int last) {
    return SqlDialect.of(url()) == SqlDialect.POSTGRESQL
        ? "GENERATE_SERIES(1, " + last + ") AS n"
        : "(SELECT x AS n FROM SYSTEM_RANGE(1, " + last + "))";
  }

  /** Executes statements now; the returned action commits them and waits until they are read. */
  private Runnable timedReload(String what, BooleanSupplier read, List<String> statements) {
    PendingTransaction all = new PendingTransaction(url(), statements);
    return () -> {
      long start = THREADS.getThreadCpuTime(pollerThreadId);
      all.commit();
      Await.until(MAX_WAIT, what, read);
      Duration took = Duration.ofNanos(THREADS.getThreadCpuTime(pollerThreadId) - start);
      cpuTimes.computeIfAbsent(what, w -> new ArrayList<>()).add(took);
    };
  }

  private void assertNotBlocked(DecisionPauseMeter.PauseMeasurement found) {
    System.out.println(databaseName() + ": " + found);
    assertThat(found.isBlocking()).as("blocked: %s", found).isFalse();
  }

  private void assertReadWithinASecond() {
    System.out.println(databaseName() + ", processor time: " + cpuTimes);
    cpuTimes
        .keySet()
        .forEach(
            what ->
                assertThat(shortestCpuTime(what)).as(what).isPositive().isLessThan(MAX_CPU_TIME));
  }

  /** Returns the minimum, since the first run includes JIT compilation. */
  private Duration shortestCpuTime(String what) {
    return Collections.min(cpuTimes.getOrDefault(what, List.of()));
  }

  private static Set<Long> pollerThreadIds() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("weir-rules-database"))
        .map(Thread::getId)
        .collect(Collectors.toSet());
  }

  private String databaseName() {
    return SqlDialect.of(url()).scriptFolder();
  }
}
