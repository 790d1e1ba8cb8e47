package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of requests to which more limits apply than one decision supports. */
class TooManyLimitsExceptionTest {
  private static final Request REQUEST = Request.of("user", "x");

  private static Limiter limiter(int rules) {
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < rules; i++) {
      all.add(Rule.named("r" + i).per("user").limit("10/day").build());
    }
    return Weir.limiter(RuleSet.of(1, all)).store(new MemoryStore(() -> 0)).build();
  }

  @Test
  void exactlyMaxLimits_isDecided() {
    assertThat(limiter(1_000).decideNow(REQUEST).allowed()).isTrue();
    List<Request> ten = Collections.nCopies(10, REQUEST);
    assertThat(limiter(100).executeAll(ten, StoreOperation.TAKE).join())
        .allMatch(Decision::allowed);
  }

  @Test
  void moreThanMaxLimits_isRejectedWithoutCharge() {
    Limiter limiter = limiter(100);
    List<Request> eleven = Collections.nCopies(11, REQUEST);
    for (StoreOperation operation :
        List.of(StoreOperation.TAKE, StoreOperation.PEEK, StoreOperation.FORCE)) {
      assertThatThrownBy(() -> limiter.executeAll(eleven, operation))
          .isInstanceOf(TooManyLimitsException.class)
          .hasMessageContaining("1100 limits");
    }
    assertThat(limiter.peek(REQUEST).join().remaining()).isEqualTo(10);
    Limiter many = limiter(1_001);
    assertThatThrownBy(() -> many.decide(REQUEST)).isInstanceOf(TooManyLimitsException.class);
    assertThatThrownBy(() -> many.reserve(REQUEST, Duration.ofMinutes(1)))
        .isInstanceOf(TooManyLimitsException.class);
  }
}
