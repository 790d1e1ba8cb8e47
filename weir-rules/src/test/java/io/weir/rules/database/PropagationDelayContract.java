package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import io.weir.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A change on one node of any database applies on another node within two seconds.
 *
 * <p>Each change is made three times and the median counts, since the machine may be busy at times.
 */
@Timeout(120)
@Tag("slow")
abstract class PropagationDelayContract extends DatabaseTestBase {
  private static final Duration PROMISED_DELAY = Duration.ofSeconds(2);
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final int ROUNDS = 3;

  private final Map<String, List<Duration>> delays = new LinkedHashMap<>();

  @Test
  @DisplayName("rules, overrides, undos and keys apply on the other node within 2 s")
  void changes_applyOnOtherNodeWithinTwoSeconds() {
    DatabaseRules here = openNode();
    DatabaseRules there = openNode();
    Limiter limiter = Weir.inMemory(there);
    for (int i = 0; i < ROUNDS; i++) {
      Rule rule = rule("api-" + i, 3);
      Request acme = Request.of("user", "acme");
      BooleanSupplier refused = () -> !limiter.decideNow(acme).allowed();
      BooleanSupplier allowed = () -> limiter.decideNow(acme).allowed();

      here.put(rule, "ann", 0);
      awaitOnOtherNode("a new rule", refused);
      LimitOverride more = LimitOverride.of(Selector.of("user", "acme"), "1000000/hour");
      here.put(rule.edit().overrides(more).build(), "ann", here.revision(rule.id()));
      awaitOnOtherNode("an override", allowed);
      here.undo(rule.id(), "ann");
      awaitOnOtherNode("an undo", refused);
      here.delete(rule.id(), "ann", here.revision(rule.id()));
      awaitOnOtherNode("a deleted rule", allowed);

      NewApiKey key = here.keys().create("acme", "pro", "ann");
      awaitOnOtherNode("a new key", () -> there.keys().verify(key.secret()).isPresent());
      here.keys().revoke(key.id());
      awaitOnOtherNode("a revoked key", () -> there.keys().verify(key.secret()).isEmpty());
    }
    System.out.println(
        SqlDialect.of(url()).scriptFolder() + ", seen on the other node after: " + delays);
    delays.forEach(
        (what, times) ->
            assertThat(times.stream().sorted().toList().get(ROUNDS / 2))
                .as(what)
                .isLessThan(PROMISED_DELAY));
  }

  private void awaitOnOtherNode(String what, BooleanSupplier there) {
    Duration time = Await.until(MAX_WAIT, what + " on the other node", there);
    delays.computeIfAbsent(what, w -> new ArrayList<>()).add(time);
  }
}
