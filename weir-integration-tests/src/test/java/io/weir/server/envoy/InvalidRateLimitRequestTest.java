package io.weir.server.envoy;

import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static io.weir.server.envoy.EnvoyRequests.withHits;
import static io.weir.server.envoy.EnvoyRequests.withLimit;
import static io.weir.server.envoy.EnvoyRequests.withNegativeHits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.weir.Weir;
import io.weir.rule.Rule;
import java.util.Collections;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Invalid calls are rejected with a reason, and nothing is charged. */
class InvalidRateLimitRequestTest {
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");

  private static RunningRateLimitService service;

  @BeforeAll
  static void open() {
    service =
        new RunningRateLimitService(
            Weir.inMemory(Rule.named("api").per("user").limit("9/day").build()));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  static Stream<Arguments> invalidRequests() {
    RateLimitDescriptor[] many = Collections.nCopies(65, ALICE).toArray(new RateLimitDescriptor[0]);
    String[] entries = new String[2 * 63];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = "k" + i;
    }
    return Stream.of(
        Arguments.of("domain must not be empty", request(ALICE).toBuilder().setDomain("").build()),
        Arguments.of("1 to 64 descriptors (was 0)", request()),
        Arguments.of("1 to 64 descriptors (was 65)", request(many)),
        Arguments.of(
            "descriptors[1]: a descriptor must have at least one entry",
            request(ALICE, descriptor())),
        Arguments.of("must have at least one entry", request(descriptor("weir.mode", "peek"))),
        Arguments.of("1 to 62 entries (was 63)", request(descriptor(entries))),
        Arguments.of("1 to 256 characters (was 0)", request(descriptor("", "x"))),
        Arguments.of("1 to 256 characters (was 257)", request(descriptor("k".repeat(257), "x"))),
        Arguments.of("65536 characters", request(descriptor("user", "x".repeat(65_537)))),
        Arguments.of("'a.2' is given twice", request(descriptor("a.2", "x", "a", "x", "a", "x"))),
        Arguments.of(
            "is weir.mode (was 'weir.mod')",
            request(descriptor("user", "alice", "weir.mod", "peek"))),
        Arguments.of(
            "must be charge or peek", request(descriptor("user", "alice", "weir.mode", "take"))),
        Arguments.of(
            "must not occur twice",
            request(descriptor("user", "alice", "weir.mode", "peek", "weir.mode", "peek"))),
        Arguments.of(
            "exclude each other",
            request(withNegativeHits(descriptor("user", "alice", "weir.mode", "peek")))),
        Arguments.of("0 to 2^53 (was 18446744073709551615)", request(withHits(-1, ALICE))),
        Arguments.of("0 to 2^53 (was 9007199254740993)", request(withHits((1L << 53) + 1, ALICE))),
        Arguments.of("must have a unit", request(withLimit(5, RateLimitUnit.UNKNOWN, ALICE))),
        Arguments.of(
            "must be at most 10 million permits per second",
            request(withLimit(-1, RateLimitUnit.SECOND, ALICE))));
  }

  @ParameterizedTest
  @MethodSource("invalidRequests")
  void invalidRequest_isRejectedWithReason(String reason, RateLimitRequest call) {
    assertThatThrownBy(() -> service.call(call))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
              assertThat(e.getStatus().getDescription()).contains(reason);
            });
    assertThat(service.call(request(withHits(0, ALICE))).getStatuses(0).getLimitRemaining())
        .as("nothing was charged")
        .isEqualTo(9);
  }

  @Test
  void oversizedMessage_isRejected() {
    RateLimitDescriptor large = descriptor("a", "x".repeat(60_000), "b", "x".repeat(60_000));
    assertThatThrownBy(() -> service.call(request(large, large, large, large)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
              assertThat(e.getStatus().getDescription()).contains("at most 262144 bytes");
            });
    assertThat(service.call(request(large)).getStatusesCount()).isEqualTo(1);
  }

  @Test
  void compressedMessage_isRejected() {
    assertThatThrownBy(
            () ->
                RateLimitServiceGrpc.newBlockingStub(service.channel)
                    .withCompression("gzip")
                    .shouldRateLimit(request(descriptor("user", "x".repeat(10_000)))))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
  }

  @Test
  void anyDescriptorValue_isAccepted() {
    for (String value : new String[] {"", " ", "\0", "💧", "a/b", "*", "\n", "x".repeat(65_536)}) {
      assertThat(
              service.call(request(descriptor("user", value))).getStatuses(0).getLimitRemaining())
          .as(value)
          .isEqualTo(8);
    }
  }
}
