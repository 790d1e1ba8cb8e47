package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rules.Pauses;
import io.weir.testkit.Soon;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Much of everything, in any database: what reading it takes, and whether it holds anybody up. */
@Timeout(600)
abstract class ReloadContract extends DatabaseTest {
  private static final int RULES = 10_000;
  private static final int KEYS = 100_000;
  private static final int ROUNDS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final String SECRET = "weir_key_7";
  private static final String RULE =
      "{\"id\":\"rule-%s\",\"match\":{\"path\":\"/a/%s/**\",\"tier\":[\"free\",\"pro\"]},"
          + "\"per\":[\"user\"],\"limit\":\"10000000/second\",\"burst\":1000000}";
  private static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();

  @Test
  void tenThousandRulesAndAHundredThousandKeysAreReadAnewWhileDecisionsGoOn() throws Exception {
    DatabaseRules node = node();
    node.put(rule("always", 1_000_000), "ann", 0);
    try (Transaction all = new Transaction()) {
      insertKeys().forEach(all::execute);
      all.execute(insertRules());
      // so that it can go back, on which a node reads all keys anew
      all.execute("UPDATE weir_revision SET revision = 1000000 WHERE kind = 'keys'");
      report(
          "added", reading(all, () -> node.current().rules().size() > RULES && has(node, "pro")));
    }
    long[] reads = new long[ROUNDS];
    try (Pauses pauses =
        new Pauses(Weir.inMemory(node), Request.of("path", "/a/77", "user", "1", "tier", "pro"))) {
      Pauses.Found found = pauses.during(ROUNDS, i -> change(node, i, reads));
      System.out.println(name() + " all changed: " + found);
      assertThat(found.heldUp()).as("held up: %s", found).isFalse();
    }
    Arrays.sort(reads);
    Duration read = Duration.ofNanos(reads[ROUNDS / 2]);
    report("changed", read);
    long start = PROCESSOR.getCurrentThreadCpuTime();
    node.put(rule("always", 1), "ann", node.revision("always"));
    Duration one = Duration.ofNanos(PROCESSOR.getCurrentThreadCpuTime() - start);
    System.out.println(
        name() + " one rule changed among them: " + one.toMillis() + " ms of processor time");
    assertThat(one).as("reads what changed only").isLessThan(read.dividedBy(2));
    try (Transaction all = new Transaction()) {
      all.execute("DELETE FROM weir_rule WHERE id <> 'always'");
      report("removed", reading(all, () -> node.current().rules().size() == 1));
    }
  }

  /** Makes all rules and all keys be read anew. */
  private Runnable change(DatabaseRules node, int round, long[] reads) {
    Transaction all = new Transaction();
    int burst = 1_000_000 + round;
    String tier = "tier-" + round;
    all.execute(
        "UPDATE weir_rule SET body = REPLACE(body, ':%d}', ':%d}') WHERE id <> 'always'"
            .formatted(burst, burst + 1));
    all.execute("UPDATE weir_key SET tier = '" + tier + "' WHERE id = 'key-7'");
    all.execute("UPDATE weir_revision SET revision = revision - 2 WHERE kind = 'keys'");
    return () -> {
      reads[round] = reading(all, () -> has(node, tier) && burst(node) == burst + 1).toNanos();
      all.close();
    };
  }

  private static long burst(DatabaseRules node) {
    return Optional.ofNullable(node.current().rule("rule-7")).map(Rule::burst).orElse(0L);
  }

  private static boolean has(DatabaseRules node, String tier) {
    return node.keys().verify(SECRET).filter(c -> c.tier().equals(tier)).isPresent();
  }

  private void report(String what, Duration read) {
    System.out.printf(
        "%s %d rules and %d keys %s: read in %d ms of processor time%n",
        name(), RULES, KEYS, what, read.toMillis());
    assertThat(read).isLessThan(SECOND);
  }

  /** What it takes the processor from the commit on; others may want it too. */
  private static Duration reading(Transaction changes, BooleanSupplier read) {
    Thread follower =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("weir-rules-database"))
            .findFirst()
            .orElseThrow();
    long start = PROCESSOR.getThreadCpuTime(follower.getId());
    changes.commit();
    Soon.until(PATIENCE, "all is read", read);
    return Duration.ofNanos(PROCESSOR.getThreadCpuTime(follower.getId()) - start);
  }

  private String insertRules() {
    return "INSERT INTO weir_rule (id, position, body, revision) SELECT 'rule-' || n, n + 10, '"
        + RULE.formatted("' || n || '", "' || n || '")
        + "', 0 FROM "
        + numbers(RULES);
  }

  /** Past the trigger of the rows, which takes its time for so many. */
  private List<String> insertKeys() {
    boolean postgres = Dialect.of(url()) == Dialect.POSTGRESQL;
    String digest =
        postgres
            ? "ENCODE(SHA256(('weir_key_' || n)::bytea), 'hex')"
            : "RAWTOHEX(HASH('SHA-256', STRINGTOUTF8('weir_key_' || n)))";
    String insert =
        "INSERT INTO weir_key (id, hash, owner, tier, who, revision) SELECT 'key-' || n, "
            + digest
            + ", 'user-' || n, 'pro', 'ann', 1 FROM "
            + numbers(KEYS);
    return postgres
        ? List.of(
            "ALTER TABLE weir_key DISABLE TRIGGER weir_key_written",
            insert,
            "ALTER TABLE weir_key ENABLE TRIGGER weir_key_written")
        : List.of(
            "DROP TRIGGER weir_key_written",
            insert,
            "CREATE TRIGGER weir_key_written BEFORE INSERT, UPDATE, DELETE ON weir_key FOR EACH ROW CALL '"
                + H2Trigger.class.getName()
                + "'");
  }

  private String numbers(int last) {
    return Dialect.of(url()) == Dialect.POSTGRESQL
        ? "GENERATE_SERIES(1, " + last + ") AS n"
        : "(SELECT x AS n FROM SYSTEM_RANGE(1, " + last + "))";
  }

  private String name() {
    return Dialect.of(url()).folder();
  }

  /** Writes by hand that are not in force yet. */
  private final class Transaction implements AutoCloseable {
    private final Connection connection;

    Transaction() {
      try {
        connection = DriverManager.getConnection(url());
        connection.setAutoCommit(false);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    void execute(String sql) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    void commit() {
      try {
        connection.commit();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new AssertionError(e);
      }
    }
  }
}
