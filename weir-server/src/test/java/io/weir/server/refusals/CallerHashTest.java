package io.weir.server.refusals;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallerHashTest {
  private static final Optional<String> SALT = Optional.of("a salt for tests");

  @Test
  void hash_isEqualForOneCallerUnderOneSaltOnly() {
    Request ann = Request.of("user", "ann", "ip", "1");
    CallerHash hash = new CallerHash(SALT);
    List<String> user = List.of("user");
    String named = hash.hash(ann, user);
    assertThat(hash.hash(ann, user)).isEqualTo(named);
    assertThat(new CallerHash(SALT).hash(ann, user)).isEqualTo(named);
    assertThat(hash.hash(Request.of("user", "bob"), user)).isNotEqualTo(named);
    assertThat(hash.hash(Request.of("ip", "ann"), List.of("ip"))).isNotEqualTo(named);
    assertThat(hash.hash(Request.of("user", "a", "ip", "nn"), List.of("user", "ip")))
        .isNotEqualTo(hash.hash(Request.of("user", "an", "ip", "n"), List.of("user", "ip")));
    assertThat(new CallerHash(Optional.of("another")).hash(ann, user)).isNotEqualTo(named);
    assertThat(new CallerHash(Optional.empty()).hash(ann, user))
        .isNotEqualTo(new CallerHash(Optional.empty()).hash(ann, user));
  }
}
