package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The laws for every algorithm, each with the bound that its package documents. */
class AlgorithmLawsTest {

  @Test
  void everyAlgorithm_hasLawTests() {
    assertThat(AlgorithmLawsTest.class.getDeclaredClasses()).hasSameSizeAs(Algorithms.all());
  }

  @Nested
  class TokenBucketLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.TOKEN_BUCKET;
    }

    @Override
    protected long bound(LimitParameters t) {
      return t.burst() + t.permits();
    }

    @Override
    protected long refundSlack(LimitParameters t) {
      return t.burst()
          + LimitParameters.ceilDiv(
              2 * t.permits(), t.periodMicros()); // times are whole microseconds
    }
  }

  @Nested
  class LeakyBucketLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.LEAKY_BUCKET;
    }

    @Override
    protected long bound(LimitParameters t) {
      return t.burst() + t.permits();
    }

    @Override
    protected long refundSlack(LimitParameters t) {
      return t.burst()
          + LimitParameters.ceilDiv(
              2 * t.permits(), t.periodMicros()); // times are whole microseconds
    }
  }

  @Nested
  class FixedWindowLaws extends AlgorithmLaws {
    @Override
    protected Algorithm algorithm() {
      return Algorithms.FIXED_WINDOW;
    }

    @Override
    protected long bound(LimitParameters t) {
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
    protected long bound(LimitParameters t) {
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
    protected long bound(LimitParameters t) {
      return 2 * t.permits() - 1;
    }
  }
}
