package io.weir.server.envoy;

import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OK;
import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OVER_LIMIT;
import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static io.weir.server.envoy.EnvoyRequests.withLimit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.internal.store.MemoryStore;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Responses of envoyproxy/ratelimit that Weir must give too. */
class EnvoyParityTest {
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");

  /** 12:34:56.789 UTC. */
  private static final long NOW = 1_767_270_896_789_000L;

  private final AtomicLong now = new AtomicLong(NOW);

  private RunningRateLimitService service(Rule... rules) {
    Limiter limiter = Weir.limiter(RuleSet.of(rules)).store(new MemoryStore(now::get)).build();
    return new RunningRateLimitService(limiter);
  }

  private static Rule perUser(String limit) {
    return Rule.named("api").per("user").algorithm("fixed-window").limit(limit).build();
  }

  @Test
  void requestLimitOnShadowRule_isEnforced() {
    Rule shadow = perUser("1/day").edit().shadow(true).build();
    try (RunningRateLimitService service = service(shadow)) {
      for (int i = 0; i < 3; i++) {
        assertThat(service.call(request(ALICE)).getOverallCode()).as("a shadow").isEqualTo(OK);
      }
      RateLimitDescriptor bob = withLimit(2, RateLimitUnit.DAY, descriptor("user", "bob"));
      assertThat(service.call(request(bob)).getOverallCode()).isEqualTo(OK);
      assertThat(service.call(request(bob)).getOverallCode()).isEqualTo(OK);
      RateLimitResponse refused = service.call(request(bob));
      assertThat(refused.getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(refused.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isEqualTo(2);
    }
  }

  @Test
  void limitIsZero_durationUntilResetIsEndOfWindow() {
    String[] limits = {"0/second", "0/minute", "0/hour", "0/day"};
    long[] seconds = {1, 4, 25 * 60 + 4, 11 * 3600 + 25 * 60 + 4};
    for (int i = 0; i < limits.length; i++) {
      try (RunningRateLimitService service = service(perUser(limits[i]))) {
        RateLimitResponse response = service.call(request(ALICE));
        assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
        assertThat(response.getStatuses(0).getDurationUntilReset().getSeconds())
            .as(limits[i])
            .isEqualTo(seconds[i]);
      }
    }
  }

  @Test
  void hitsExceedLimit_durationUntilResetIsEndOfWindow() {
    try (RunningRateLimitService service = service(perUser("5/minute"))) {
      RateLimitResponse response = service.call(request(withHits(6, ALICE)));
      assertThat(response.getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(response.getStatuses(0).getDurationUntilReset().getSeconds()).isEqualTo(4);
    }
  }

  @Test
  void descriptorsWithoutHitsOnLastPermit_areAllOk() {
    try (RunningRateLimitService service = service(perUser("3/day"))) {
      assertThat(service.call(request(withHits(2, ALICE))).getOverallCode()).isEqualTo(OK);
      RateLimitDescriptor none = withHits(0, ALICE);
      RateLimitResponse peeked = service.call(request(none, none, none));
      assertThat(peeked.getOverallCode()).isEqualTo(OK);
      assertThat(peeked.getStatusesList()).hasSize(3).allMatch(s -> s.getLimitRemaining() == 1);
      RateLimitResponse taken = service.call(request(none, ALICE, none));
      assertThat(taken.getOverallCode()).isEqualTo(OK);
      assertThat(service.call(request(none, none)).getOverallCode())
          .as("no permit is left")
          .isEqualTo(OVER_LIMIT);
    }
  }

  @Test
  void moreThanThousandLimits_isInvalidAndOthersUnaffected() {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      rules.add(
          Rule.named("r" + i)
              .per("user")
              .limit("100/day")
              .onStoreFailure(StoreFailureFallback.OPEN)
              .build());
    }
    RateLimitDescriptor[] many = Collections.nCopies(51, ALICE).toArray(new RateLimitDescriptor[0]);
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = RedisStore.at(redis.uri()).deadline(Duration.ofSeconds(10)).open();
        RunningRateLimitService service =
            new RunningRateLimitService(Weir.limiter(RuleSet.of(1, rules)).store(store).build())) {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> service.call(request(many)))
            .isInstanceOfSatisfying(
                StatusRuntimeException.class,
                e -> {
                  assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
                  assertThat(e.getStatus().getDescription()).contains("1020 limits");
                });
      }
      RateLimitResponse other = service.call(request(ALICE));
      assertThat(other.getStatuses(0).getLimitRemaining()).as("nothing charged").isEqualTo(99);
      assertThat(other.getDynamicMetadata().containsFields("degraded")).isFalse();
    }
  }
}
