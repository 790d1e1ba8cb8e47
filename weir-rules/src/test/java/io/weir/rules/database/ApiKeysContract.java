package io.weir.rules.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.testkit.Await;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** API keys in any database. */
@Timeout(120)
abstract class ApiKeysContract extends DatabaseTestBase {
  @Test
  void key_isValidOnEveryNodeUntilRevoked() {
    ApiKeys here = openNode().keys();
    ApiKeys there = openNode().keys();
    NewApiKey key = here.create("acme", "pro", "ann");
    Optional<ApiKeyOwner> acme = Optional.of(new ApiKeyOwner(key.id(), "acme", "pro"));
    assertThat(here.verify(key.secret())).isEqualTo(acme);
    Await.until(
        MAX_DELAY, "the key on the other node", () -> there.verify(key.secret()).equals(acme));
    NewApiKey other = there.create("acme", "", "bob");
    assertThat(here.revoke(key.id())).isTrue();
    assertThat(here.revoke(key.id())).isFalse();
    assertThat(here.verify(key.secret())).isEmpty();
    Await.until(
        MAX_DELAY, "the revocation on the other node", () -> there.verify(key.secret()).isEmpty());
    assertThat(there.verify(other.secret())).isPresent();
    assertThat(there.list()).extracting(ApiKey::who).containsExactly("ann", "bob");
    assertThat(there.list().get(0).revoked()).isPresent();
    assertThat(there.list().get(1).revoked()).isEmpty();
  }

  @Test
  void invalidSecret_isRejected() {
    ApiKeys keys = openNode().keys();
    NewApiKey key = keys.create("acme", "pro", "ann");
    assertThat(key.secret()).matches("weir_[a-z0-9]{12}_[0-9A-Za-z]{43}");
    assertThat(key.toString()).doesNotContain(key.secret());
    String secret = key.secret();
    String end = secret.endsWith("0") ? "1" : "0";
    for (String wrong :
        new String[] {
          "",
          "weir_",
          key.id(),
          "weir_" + key.id() + "_",
          secret + "0",
          " " + secret,
          secret.substring(0, secret.length() - 1) + end,
          secret.repeat(100_000)
        }) {
      assertThat(keys.verify(wrong)).isEmpty();
    }
    assertThatThrownBy(() -> keys.create(" ", "", "ann")).hasMessageContaining("user must have");
  }
}
