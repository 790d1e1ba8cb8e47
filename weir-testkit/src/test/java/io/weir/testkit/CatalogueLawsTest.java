package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The laws over the whole catalogue, each algorithm with the bound its package states. */
class CatalogueLawsTest {

  @Test
  void everyAlgorithmIsHeldToTheLaws() {
    assertThat(CatalogueLawsTest.class.getDeclaredClasses()).hasSameSizeAs(Algorithms.all());
  }

  @Nested
  class TokenBucketLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.TOKEN_BUCKET;
    }

    @Override
    protected long bound(Terms t) {
      return t.burst() + t.permits();
    }

    @Override
    protected long refundSlack(Terms t) {
      return t.burst() + Terms.ceilDiv(2 * t.permits(), t.period()); // times are whole microseconds
    }
  }

  @Nested
  class LeakyBucketLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.LEAKY_BUCKET;
    }

    @Override
    protected long bound(Terms t) {
      return t.burst() + t.permits();
    }

    @Override
    protected long refundSlack(Terms t) {
      return t.burst() + Terms.ceilDiv(2 * t.permits(), t.period()); // times are whole microseconds
    }
  }

  @Nested
  class FixedWindowLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.FIXED_WINDOW;
    }

    @Override
    protected long bound(Terms t) {
      return 2 * t.permits();
    }
  }

  @Nested
  class SlidingLogLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.SLIDING_LOG;
    }

    @Override
    protected long bound(Terms t) {
      return t.permits();
    }
  }

  @Nested
  class SlidingCounterLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.SLIDING_COUNTER;
    }

    @Override
    protected long bound(Terms t) {
      return 2 * t.permits() - 1;
    }
  }
}
