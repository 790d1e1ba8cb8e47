package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rules.Rules;
import io.weir.testkit.Soon;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What API keys in any database do, and how long much of everything takes. */
@Timeout(120)
abstract class KeysContract extends DatabaseTest {
  private static final int RULES = 10_000;
  private static final int KEYS = 100_000;
  private static final Duration GENEROUS = Duration.ofSeconds(10);

  @Test
  void aKeyIsGoodOnEveryNodeUntilItIsRevoked() {
    ApiKeys here = node().keys();
    ApiKeys there = node().keys();
    NewKey key = here.create("acme", "pro", "ann");
    Optional<Caller> acme = Optional.of(new Caller(key.id(), "acme", "pro"));
    assertThat(here.verify(key.secret())).isEqualTo(acme);
    Soon.until(SOON, "the key is good there", () -> there.verify(key.secret()).equals(acme));
    NewKey other = there.create("acme", "", "bob");
    assertThat(here.revoke(key.id())).isTrue();
    assertThat(here.revoke(key.id())).isFalse();
    assertThat(here.verify(key.secret())).isEmpty();
    Soon.until(SOON, "the key is bad there", () -> there.verify(key.secret()).isEmpty());
    assertThat(there.verify(other.secret())).isPresent();
    assertThat(there.list()).extracting(ApiKey::who).containsExactly("ann", "bob");
    assertThat(there.list().get(0).revoked()).isPresent();
    assertThat(there.list().get(1).revoked()).isEmpty();
  }

  @Test
  void whatIsNoSecretIsNobodys() {
    ApiKeys keys = node().keys();
    NewKey key = keys.create("acme", "pro", "ann");
    assertThat(key.secret()).matches("weir_[a-z0-9]{12}_[0-9A-Za-z]{43}");
    assertThat(key.toString()).doesNotContain(key.secret());
    String secret = key.secret();
    String end = secret.endsWith("0") ? "1" : "0";
    for (String wrong :
        new String[] {
          "",
          "weir_",
          key.id(),
          "weir_" + key.id() + "_",
          secret + "0",
          " " + secret,
          secret.substring(0, secret.length() - 1) + end,
          secret.repeat(100_000)
        }) {
      assertThat(keys.verify(wrong)).isEmpty();
    }
    assertThatThrownBy(() -> keys.create(" ", "", "ann")).hasMessageContaining("for a user");
  }

  @Test
  void tenThousandRulesAndAHundredThousandKeysAreReadWhileDecisionsGoOn() throws Exception {
    DatabaseRules node = node();
    node.put(rule("always", 1_000_000), "ann", 0);
    Limiter limiter = Weir.inMemory(node);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong decisions = new AtomicLong();
    AtomicLong slowest = new AtomicLong();
    Thread decider =
        new Thread(
            () -> {
              while (!done.get()) {
                Duration took =
                    Took.by(
                        () -> assertThat(limiter.decideNow(Request.of("user", "1"))).isNotNull());
                slowest.accumulateAndGet(took.toNanos() / 1000, Math::max);
                decisions.incrementAndGet();
              }
            });
    decider.start();
    try {
      fill();
      Soon.until(
          Duration.ofSeconds(20), "all is read", () -> node.current().rules().size() > RULES);
      Duration start = Took.by(() -> assertThat(node().current().rules()).hasSize(RULES + 1));
      Duration change = Took.by(() -> node.put(rule("always", 1), "ann", node.revision("always")));
      System.out.printf(
          "measured %s: %d rules and %d keys at start %d ms, one change among them %d ms; %d decisions, slowest %d µs%n",
          Database.shown(url()).substring(0, 9),
          RULES,
          KEYS,
          start.toMillis(),
          change.toMillis(),
          decisions.get(),
          slowest.get());
      assertThat(start).isLessThan(GENEROUS);
      assertThat(change).isLessThan(GENEROUS);
      assertThat(decisions.get()).isGreaterThan(1_000);
    } finally {
      done.set(true);
      decider.join();
    }
  }

  private void fill() throws Exception {
    try (Connection connection = DriverManager.getConnection(url())) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO weir_rule VALUES (?, ?, ?, ?)")) {
        for (int i = 0; i < RULES; i++) {
          insert.setString(1, "rule-" + i);
          insert.setLong(2, i + 10);
          insert.setString(3, Rules.toJson(rule("rule-" + i, i + 1)));
          insert.setLong(4, 0);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO weir_key (id, hash, owner, tier, who, revision) VALUES (?, ?, ?, ?, ?, ?)")) {
        for (int i = 0; i < KEYS; i++) {
          insert.setString(1, "key-" + i);
          insert.setString(2, Secret.digest("key-" + i).hex());
          insert.setString(3, "user-" + i);
          insert.setString(4, "pro");
          insert.setString(5, "ann");
          insert.setLong(6, 0);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
    }
  }
}
