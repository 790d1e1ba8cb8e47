package io.weir.server.rls;

import static io.weir.server.rls.Calls.back;
import static io.weir.server.rls.Calls.call;
import static io.weir.server.rls.Calls.descriptor;
import static io.weir.server.rls.Calls.hits;
import static io.weir.server.rls.Calls.limited;
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

/** Calls that mean nothing are refused with a reason, and nothing is charged. */
class BadCallsTest {
  private static final RateLimitDescriptor ALICE = descriptor("user", "alice");

  private static OpenedDoor door;

  @BeforeAll
  static void open() {
    door = new OpenedDoor(Weir.inMemory(Rule.named("api").per("user").limit("9/day").build()));
  }

  @AfterAll
  static void close() {
    door.close();
  }

  static Stream<Arguments> bad() {
    RateLimitDescriptor[] many = Collections.nCopies(65, ALICE).toArray(new RateLimitDescriptor[0]);
    String[] entries = new String[2 * 63];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = "k" + i;
    }
    return Stream.of(
        Arguments.of("domain is empty", call(ALICE).toBuilder().setDomain("").build()),
        Arguments.of("0 descriptors cannot be", call()),
        Arguments.of("65 descriptors cannot be", call(many)),
        Arguments.of("descriptors[1]: has no entries", call(ALICE, descriptor())),
        Arguments.of("has no entries", call(descriptor("weir.mode", "peek"))),
        Arguments.of("63 entries cannot be", call(descriptor(entries))),
        Arguments.of("a key of 0 characters", call(descriptor("", "x"))),
        Arguments.of("a key of 257 characters", call(descriptor("k".repeat(257), "x"))),
        Arguments.of("65536 characters", call(descriptor("user", "x".repeat(65_537)))),
        Arguments.of("'a.2' stands twice", call(descriptor("a.2", "x", "a", "x", "a", "x"))),
        Arguments.of("'weir.mod' is none", call(descriptor("user", "alice", "weir.mod", "peek"))),
        Arguments.of("neither charge nor", call(descriptor("user", "alice", "weir.mode", "take"))),
        Arguments.of(
            "stands twice",
            call(descriptor("user", "alice", "weir.mode", "peek", "weir.mode", "peek"))),
        Arguments.of("leave one out", call(back(descriptor("user", "alice", "weir.mode", "peek")))),
        Arguments.of("18446744073709551615 cannot be", call(hits(-1, ALICE))),
        Arguments.of("9007199254740993 cannot be", call(hits((1L << 53) + 1, ALICE))),
        Arguments.of("has no unit", call(limited(5, RateLimitUnit.UNKNOWN, ALICE))),
        Arguments.of("faster than 10 million", call(limited(-1, RateLimitUnit.SECOND, ALICE))));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void isRefusedWithAReason(String reason, RateLimitRequest call) {
    assertThatThrownBy(() -> door.call(call))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
              assertThat(e.getStatus().getDescription()).contains(reason).contains("; ");
            });
    assertThat(door.call(call(hits(0, ALICE))).getStatuses(0).getLimitRemaining())
        .as("nothing was charged")
        .isEqualTo(9);
  }

  @Test
  void aMessageThatIsTooLargeIsRefused() {
    RateLimitDescriptor large = descriptor("a", "x".repeat(60_000), "b", "x".repeat(60_000));
    assertThatThrownBy(() -> door.call(call(large, large, large, large)))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
              assertThat(e.getStatus().getDescription()).contains("at most 262144 bytes");
            });
    assertThat(door.call(call(large)).getStatusesCount()).isEqualTo(1);
  }

  @Test
  void aCompressedMessageIsRefused() {
    assertThatThrownBy(
            () ->
                RateLimitServiceGrpc.newBlockingStub(door.channel)
                    .withCompression("gzip")
                    .shouldRateLimit(call(descriptor("user", "x".repeat(10_000)))))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
  }

  @Test
  void valuesMayBeAnything() {
    for (String value : new String[] {"", " ", "\0", "💧", "a/b", "*", "\n", "x".repeat(65_536)}) {
      assertThat(door.call(call(descriptor("user", value))).getStatuses(0).getLimitRemaining())
          .as(value)
          .isEqualTo(8);
    }
  }
}
