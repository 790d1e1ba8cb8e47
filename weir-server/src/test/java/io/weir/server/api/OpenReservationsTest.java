package io.weir.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Reservation;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Removal of settled and expired reservations. */
class OpenReservationsTest {
  private final FakeClock clock = new FakeClock();
  private final OpenReservations openReservations = new OpenReservations("n", clock);
  private final Limiter limiter = Weir.inMemory(Rule.named("x").limit("1000000/second").build());

  @Test
  void settledReservations_leaveNothingBehind() {
    for (int i = 0; i < 1000; i++) {
      Reservation taken = openReservations.remove(openReservations.add(reserve(), 86_400_000));
      assertThat(taken).isNotNull();
    }
    assertThat(openReservations.entryCount()).isZero();
  }

  @Test
  void expiredReservations_leaveNothingBehind() {
    String id = openReservations.add(reserve(), 1000);
    String later = openReservations.add(reserve(), 2000);
    clock.advance(Duration.ofSeconds(1));
    assertThat(openReservations.remove(id)).isNull();
    assertThat(openReservations.remove(later)).isNotNull();
    assertThat(openReservations.entryCount()).isZero();
  }

  private Reservation reserve() {
    return limiter.reserve(Request.of("user", "u"), Duration.ofDays(1)).join();
  }
}
