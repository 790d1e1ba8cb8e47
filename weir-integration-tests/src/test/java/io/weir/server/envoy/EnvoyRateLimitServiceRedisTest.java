package io.weir.server.envoy;

import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OK;
import static io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code.OVER_LIMIT;
import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Envoy rate limit service with a real Redis, and with one that was killed. */
class EnvoyRateLimitServiceRedisTest {
  private RedisProcess redis;
  private RedisStore store;
  private Limiter limiter;

  @BeforeEach
  void start() {
    redis = RedisProcess.start();
    store = RedisStore.at(redis.uri()).deadline(Duration.ofSeconds(2)).open();
    limiter =
        Weir.limiter(
                RuleSet.of(
                    rule("open", StoreFailureFallback.OPEN),
                    rule("closed", StoreFailureFallback.CLOSED),
                    rule("local", StoreFailureFallback.local(10))))
            .store(store)
            .build();
  }

  @AfterEach
  void stop() {
    store.close();
    redis.close();
  }

  @Test
  void concurrentCalls_admitExactlyTheLimit() throws Exception {
    try (RunningRateLimitService service = new RunningRateLimitService(limiter)) {
      List<ListenableFuture<RateLimitResponse>> responses = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        responses.add(
            RateLimitServiceGrpc.newFutureStub(service.channel)
                .withDeadlineAfter(30, TimeUnit.SECONDS)
                .shouldRateLimit(request(descriptor("open", "x"), descriptor("closed", "y"))));
      }
      int admitted = 0;
      for (ListenableFuture<RateLimitResponse> response : responses) {
        admitted += response.get().getOverallCode() == OK ? 1 : 0;
        assertThat(response.get().getStatusesCount()).isEqualTo(2);
      }
      assertThat(admitted).isEqualTo(100);
    }
  }

  @Test
  void storeUnavailable_fallbacksApply() {
    try (RunningRateLimitService service = new RunningRateLimitService(limiter)) {
      assertThat(service.call(request(descriptor("open", "x"))).getOverallCode()).isEqualTo(OK);
      redis.kill();
      RateLimitResponse open = service.call(request(descriptor("open", "x")));
      assertThat(open.getOverallCode()).isEqualTo(OK);
      assertThat(open.getDynamicMetadata().getFieldsOrThrow("degraded").getBoolValue()).isTrue();
      assertThat(EnvoyRequests.headers(open)).doesNotContainKey("X-RateLimit-Remaining");
      RateLimitResponse closed = service.call(request(descriptor("closed", "x")));
      assertThat(closed.getOverallCode()).isEqualTo(OVER_LIMIT);
      assertThat(EnvoyRequests.headers(closed))
          .containsEntry("Retry-After", "1")
          .doesNotContainKey("X-RateLimit-Remaining");
      assertThat(closed.getRawBody().toStringUtf8())
          .startsWith("{\"error\":\"store_unavailable\",\"rule\":\"closed\"");
      assertThat(closed.getDynamicMetadata().getFieldsOrThrow("reason").getStringValue())
          .isEqualTo("store_unavailable");
      assertThat(closed.getStatuses(0).hasCurrentLimit()).as("no remaining of 0").isFalse();
      assertThat(service.call(request(withHits(10, descriptor("local", "x")))).getOverallCode())
          .isEqualTo(OK);
      assertThat(service.call(request(withHits(10, descriptor("local", "x")))).getOverallCode())
          .isEqualTo(OVER_LIMIT);
    }
  }

  @Test
  void storeUnavailableInErrorMode_openFallbackBecomesError() {
    try (RunningRateLimitService service =
        new RunningRateLimitService(limiter, true, EnvoyStoreFailureMode.ERROR)) {
      assertThat(service.call(request(descriptor("open", "x"))).getOverallCode()).isEqualTo(OK);
      redis.kill();
      assertThatThrownBy(() -> service.call(request(descriptor("open", "x"))))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
      assertThat(service.call(request(descriptor("closed", "x"))).getOverallCode())
          .isEqualTo(OVER_LIMIT);
      assertThat(
              service
                  .call(request(descriptor("open", "x"), descriptor("closed", "x")))
                  .getOverallCode())
          .as("a refusal wins")
          .isEqualTo(OVER_LIMIT);
      assertThat(service.call(request(descriptor("local", "x"))).getOverallCode()).isEqualTo(OK);
      assertThat(service.call(request(descriptor("nobody", "x"))).getOverallCode()).isEqualTo(OK);
    }
  }

  private static Rule rule(String per, StoreFailureFallback posture) {
    return Rule.named(per)
        .per(per)
        .algorithm("fixed-window")
        .limit("100/30d")
        .onStoreFailure(posture)
        .build();
  }
}
