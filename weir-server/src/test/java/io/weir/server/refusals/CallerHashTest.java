package io.weir.server.refusals;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallerHashTest {
  private static final Optional<String> SALT = Optional.of("a salt for tests");

  @Test
  void linesOfOneCallerBelongTogetherUnderOneSaltOnly() {
    Request ann = Request.of("user", "ann", "ip", "1");
    CallerHash hash = new CallerHash(SALT);
    List<String> user = List.of("user");
    String named = hash.of(ann, user);
    assertThat(hash.of(ann, user)).isEqualTo(named);
    assertThat(new CallerHash(SALT).of(ann, user)).isEqualTo(named);
    assertThat(hash.of(Request.of("user", "bob"), user)).isNotEqualTo(named);
    assertThat(hash.of(Request.of("ip", "ann"), List.of("ip"))).isNotEqualTo(named);
    assertThat(hash.of(Request.of("user", "a", "ip", "nn"), List.of("user", "ip")))
        .isNotEqualTo(hash.of(Request.of("user", "an", "ip", "n"), List.of("user", "ip")));
    assertThat(new CallerHash(Optional.of("another")).of(ann, user)).isNotEqualTo(named);
    assertThat(new CallerHash(Optional.empty()).of(ann, user))
        .isNotEqualTo(new CallerHash(Optional.empty()).of(ann, user));
  }
}
