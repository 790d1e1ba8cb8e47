package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.LimitOverride;
import io.weir.rule.Rule;
import io.weir.rule.Selector;
import io.weir.testkit.Soon;
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
 * What is changed on one node of any database acts on another within two seconds.
 *
 * <p>Each change is made three times and the middle one counts, for the machine may be busy once.
 */
@Timeout(120)
@Tag("slow")
abstract class PromptContract extends DatabaseTest {
  private static final Duration PROMISED = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ROUNDS = 3;

  private final Map<String, List<Duration>> took = new LinkedHashMap<>();

  @Test
  @DisplayName("R5 a rule, an override, an undo, a new key and a revoked one act there within 2 s")
  void changesActThere() {
    DatabaseRules here = node();
    DatabaseRules there = node();
    Limiter limiter = Weir.inMemory(there);
    for (int i = 0; i < ROUNDS; i++) {
      Rule rule = rule("api-" + i, 3);
      Request acme = Request.of("user", "acme");
      BooleanSupplier refused = () -> !limiter.decideNow(acme).allowed();
      BooleanSupplier allowed = () -> limiter.decideNow(acme).allowed();

      here.put(rule, "ann", 0);
      acts("a rule", refused);
      LimitOverride more = LimitOverride.of(Selector.of("user", "acme"), "1000000/hour");
      here.put(rule.edit().overrides(more).build(), "ann", here.revision(rule.id()));
      acts("an override", allowed);
      here.undo(rule.id(), "ann");
      acts("an undo", refused);
      here.delete(rule.id(), "ann", here.revision(rule.id()));
      acts("a rule deleted", allowed);

      NewKey key = here.keys().create("acme", "pro", "ann");
      acts("a key", () -> there.keys().verify(key.secret()).isPresent());
      here.keys().revoke(key.id());
      acts("a revoked key", () -> there.keys().verify(key.secret()).isEmpty());
    }
    System.out.println(Dialect.of(url()).folder() + ", seen on the other node after: " + took);
    took.forEach(
        (what, times) ->
            assertThat(times.stream().sorted().toList().get(ROUNDS / 2))
                .as(what)
                .isLessThan(PROMISED));
  }

  private void acts(String what, BooleanSupplier there) {
    Duration time = Soon.until(PATIENCE, what + " acts there", there);
    took.computeIfAbsent(what, w -> new ArrayList<>()).add(time);
  }
}
