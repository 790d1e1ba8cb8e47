package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The table of open reservations. */
class OpenReservationsTest {
  private final FakeClock clock = new FakeClock();
  private final OpenReservations open = new OpenReservations("n", clock);
  private final Limiter limiter = Weir.inMemory(Rule.named("x").limit("1000000/second").build());

  @Test
  void settledReservations_leaveNothingBehind() {
    for (int i = 0; i < 1000; i++) {
      Reservation taken = open.take(open.keep(reserve(), 86_400_000));
      assertThat(taken).isNotNull();
    }
    assertThat(open.entries()).isZero();
  }

  @Test
  void expiredReservations_leaveNothingBehind() {
    String id = open.keep(reserve(), 1000);
    String later = open.keep(reserve(), 2000);
    clock.advance(Duration.ofSeconds(1));
    assertThat(open.take(id)).isNull();
    assertThat(open.take(later)).isNotNull();
    assertThat(open.entries()).isZero();
  }

  private Reservation reserve() {
    return limiter.reserve(Request.of("user", "u"), Duration.ofDays(1)).join();
  }
}
