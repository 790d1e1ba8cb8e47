package io.weir.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.database.DatabaseRules;
import io.weir.rules.database.Said;
import io.weir.rules.database.Step;
import io.weir.store.Mode;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.junit.jupiter.api.Test;

/** Seconds are told apart, and minutes are kept. */
class PulseTest {
  private static final long NOON = 1_767_268_800;

  private final Map<String, Said> counted = new HashMap<>();
  private long degraded;
  private final MemoryHistory history = new MemoryHistory();
  private final Latency latency = new Latency();
  private final Pulse pulse = pulse(history);

  private Pulse pulse(History kept) {
    Pulse.Counted soFar =
        new Pulse.Counted() {
          @Override
          public Said requests() {
            Said all = counted.values().stream().reduce(Said.nothing(""), Said::plus);
            return new Said(Said.REQUESTS, all.allowed(), all.refused(), 0);
          }

          @Override
          public Map<String, Said> rules() {
            return new HashMap<>(counted);
          }

          @Override
          public long degraded() {
            return degraded;
          }
        };
    return new Pulse(soFar, kept, latency);
  }

  @Test
  void aSecondTellsWhatCameInItAndNoMore() {
    counted.put("api", new Said("api", 10, 2, 0));
    degraded = 3;
    assertThat(pulse.beat(NOON).rules()).containsEntry("api", new Said("api", 10, 2, 0));
    counted.put("api", new Said("api", 11, 2, 0));
    counted.put("quiet", new Said("quiet", 0, 0, 4));
    Second second = pulse.beat(NOON + 1);
    assertThat(second.rules())
        .containsEntry("api", new Said("api", 1, 0, 0))
        .containsEntry("quiet", new Said("quiet", 0, 0, 4));
    assertThat(second.requests()).isEqualTo(new Said(Said.REQUESTS, 1, 0, 4));
    assertThat(second.degraded()).isZero();
    assertThat(pulse.beat(NOON + 2).rules()).isEmpty();
  }

  @Test
  void aRuleThatWasDeletedAndMadeAnewCountsFromNothing() {
    counted.put("api", new Said("api", 100, 0, 0));
    pulse.beat(NOON);
    counted.put("api", new Said("api", 3, 0, 0));
    assertThat(pulse.beat(NOON + 1).rules()).containsEntry("api", new Said("api", 3, 0, 0));
  }

  @Test
  void fiveMinutesAreRememberedByTheSecond() {
    for (int i = 0; i < 400; i++) {
      pulse.beat(NOON + i);
    }
    assertThat(pulse.seconds()).hasSize(300);
    assertThat(pulse.seconds().get(0).time()).isEqualTo(NOON + 100);
  }

  @Test
  void ofManyRulesTheBusiestAreToldApart() {
    for (int i = 0; i < 10_000; i++) {
      counted.put("r" + i, new Said("r" + i, i + 1, 0, 0));
    }
    Second second = pulse.beat(NOON);
    assertThat(second.rules()).hasSize(Busiest.APART + 1).containsKey("r9999").containsKey("");
    long told = second.rules().values().stream().mapToLong(Said::allowed).sum();
    assertThat(told).as("nothing is lost").isEqualTo(10_000L * 10_001 / 2);
  }

  @Test
  void minutesAreHandedOverWhenTheyAreOver() {
    counted.put("api", new Said("api", 5, 1, 0));
    pulse.beat(NOON + 59);
    pulse.keep(NOON + 59);
    assertThat(history.of("api", Step.MINUTE, 0)).isEmpty();
    pulse.keep(NOON + 60);
    assertThat(history.of("api", Step.MINUTE, 0)).containsEntry(NOON, new Said("api", 5, 1, 0));
    assertThat(history.of(Said.REQUESTS, Step.HOUR, 0))
        .containsEntry(NOON, new Said(Said.REQUESTS, 5, 1, 0));
    pulse.keep(NOON + 120);
    assertThat(history.of("api", Step.HOUR, 0)).containsEntry(NOON, new Said("api", 5, 1, 0));
  }

  @Test
  void aDatabaseThatIsAwayIsOfferedThemAgain() {
    boolean[] away = {true};
    DatabaseRules gone = DatabaseRules.open("jdbc:h2:mem:gone");
    gone.close();
    History moody =
        new History() {
          @Override
          public void add(long second, Collection<Said> said) {
            if (away[0]) {
              gone.traffic().add(second, said);
            }
            history.add(second, said);
          }

          @Override
          public NavigableMap<Long, Said> of(String rule, Step step, long from) {
            return history.of(rule, step, from);
          }

          @Override
          public boolean survives() {
            return true;
          }
        };
    Pulse waiting = pulse(moody);
    counted.put("api", new Said("api", 5, 0, 0));
    waiting.beat(NOON);
    waiting.keep(NOON + 60);
    away[0] = false;
    waiting.keep(NOON + 65);
    assertThat(history.of("api", Step.MINUTE, 0)).containsEntry(NOON, new Said("api", 5, 0, 0));
  }

  @Test
  void memoryForgetsWhatADatabaseWould() {
    history.add(NOON, List.of(new Said("api", 1, 0, 0)));
    history.add(NOON + 86_400, List.of(new Said("api", 2, 0, 0)));
    assertThat(history.of("api", Step.MINUTE, 0)).hasSize(1);
    assertThat(history.of("api", Step.HOUR, 0)).hasSize(2);
    history.add(NOON + 90 * 86_400L, List.of());
    assertThat(history.of("api", Step.HOUR, 0)).hasSize(1);
  }

  @Test
  void percentilesAreRightToATenth() {
    for (int i = 0; i < 99; i++) {
      latency.listener().answered(Mode.TAKE, 200);
    }
    latency.listener().answered(Mode.TAKE, 4000);
    latency.listener().answered(Mode.TAKE, 5000);
    Latency.Taken taken = pulse.beat(NOON).store();
    assertThat(taken.answers()).isEqualTo(101);
    assertThat(taken.median()).isBetween(180L, 220L);
    assertThat(taken.p99()).isBetween(3600L, 4400L);
    assertThat(pulse.beat(NOON + 1).store()).isEqualTo(Latency.Taken.NONE);
  }
}
