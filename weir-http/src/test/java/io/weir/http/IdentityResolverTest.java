package io.weir.http;

import static io.weir.testkit.DecisionAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.testkit.RandomHistory;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the attributes of a request, and that unverified identities are ignored. */
class IdentityResolverTest {
  private static final VerifiedCaller ACME = new VerifiedCaller("k7", "acme", "pro");
  private static final CredentialVerifier KEYS =
      secret -> secret.equals("weir_k7_secret") ? Optional.of(ACME) : Optional.empty();
  private static final CredentialVerifier TOKENS =
      token ->
          token.equals("good") ? Optional.of(new VerifiedCaller("", "bob", "")) : Optional.empty();

  private final IdentityResolver identity =
      IdentityResolver.builder()
          .apiKeys("X-API-Key", KEYS)
          .tokens(TOKENS)
          .headers("X-Tenant")
          .build();

  @Test
  void request_hasAllDocumentedAttributes() {
    IdentifiedRequest call =
        identity.resolve(
            address("2001:db8:1:2:3::4"),
            "get",
            "/v1//orders/7;x=y/?page=2",
            TestRequestHeaders.of(
                "Host", "API.Example.com:8000", "x-api-key", "weir_k7_secret", "X-Tenant", "blue"));
    assertThat(call.request().attributes())
        .containsExactly(
            entry("ip", "2001:db8:1:2::/64"),
            entry("user", "acme"),
            entry("api_key", "k7"),
            entry("tier", "pro"),
            entry("endpoint", "GET /v1/orders/7"),
            entry("method", "GET"),
            entry("path", "/v1/orders/7"),
            entry("host", "api.example.com"),
            entry("header.x-tenant", "blue"));
    assertThat(call.endpoint().target()).isEqualTo("/v1/orders/7;x=y/?page=2");
    assertThat(call.caller()).isEqualTo(ACME);
    assertThat(call.unauthorized()).isFalse();
  }

  @Test
  void unknownAttributes_areOmitted() {
    assertThat(read("Accept", "*/*").request().attributes())
        .containsOnlyKeys("ip", "endpoint", "method", "path");
    assertThat(read("X-Tenant", "", "Host", "").request().attributes())
        .containsOnlyKeys("ip", "endpoint", "method", "path");
  }

  @Test
  void bearerToken_isUsedWhenNoApiKeyIsValid() {
    assertThat(user("Authorization", "Bearer good")).isEqualTo("bob");
    assertThat(user("authorization", "bearer  good ")).isEqualTo("bob");
    assertThat(user("X-API-Key", "wrong", "Authorization", "Bearer good")).isEqualTo("bob");
    assertThat(user("X-API-Key", "weir_k7_secret", "Authorization", "Bearer good"))
        .isEqualTo("acme");
    assertThat(read("Authorization", "Bearer good").request().get("tier")).isNull();
    assertThat(read("Authorization", "Bearer good").request().get("api_key")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Authorization | good",
        "Authorization | Bearer",
        "Authorization | Bearer bad",
        "Authorization | Basic good",
        "Authorization | Bearergood",
        "X-API-Key | acme",
        "X-API-Key | k7",
        "X-API-Key | weir_k7_secre",
        "X-API-Key | weir_k7_secret2",
        "user | acme",
        "api_key | k7",
        "X-Tenant | acme"
      })
  void unverifiableCredential_givesNoCaller(String name, String value) {
    IdentifiedRequest call = read(name, value);
    assertThat(call.caller()).isNull();
    assertThat(call.request().attributes()).doesNotContainKeys("user", "api_key", "tier");
    assertThat(call.request().get("ip")).isEqualTo("203.0.113.9");
  }

  @Test
  void duplicateCredentialHeader_givesNoCaller() {
    assertThat(user("X-API-Key", "weir_k7_secret", "X-API-Key", "weir_k7_secret")).isNull();
    assertThat(user("Authorization", "Bearer good", "Authorization", "Bearer good")).isNull();
  }

  /** Forged identities are counted by address; the callers they name are not affected. */
  @Test
  void forgedIdentities_areCountedByAddress() {
    Limiter limiter =
        Weir.inMemory(
            Rule.named("user").per("user").limit("3/day").build(),
            Rule.named("key").per("api_key").limit("3/day").build(),
            Rule.named("address").per("ip").limit("5/day").build());
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    int admitted = 0;
    for (int i = 0; i < 1000; i++) {
      String made = "weir_k7_" + Long.toHexString(random.nextLong());
      IdentifiedRequest call =
          random.nextBoolean()
              ? read("X-API-Key", made, "X-User", "acme")
              : read("Authorization", "Bearer " + made);
      admitted += limiter.decideNow(call.request()).allowed() ? 1 : 0;
    }
    assertThat(admitted).as("-Dweir.seed=%d", seed).isEqualTo(3);
    IdentifiedRequest victim =
        identity.resolve(
            address("198.51.100.1"),
            "GET",
            "/",
            TestRequestHeaders.of("X-API-Key", "weir_k7_secret"));
    assertThat(limiter.decideNow(victim.request())).isAllowed().hasRemaining(2);
  }

  @Test
  void requiredCaller_marksOthersUnauthorizedAndKeepsAddress() {
    IdentityResolver strict =
        IdentityResolver.builder().apiKeys("X-API-Key", KEYS).required().build();
    IdentifiedRequest stranger =
        strict.resolve(address("203.0.113.9"), "GET", "/", TestRequestHeaders.of("X-API-Key", "x"));
    assertThat(stranger.unauthorized()).isTrue();
    assertThat(stranger.request().get("ip")).isEqualTo("203.0.113.9");
    assertThat(strict.challenge()).isEqualTo("ApiKey header=\"X-API-Key\"");
    assertThat(identity.challenge()).isEqualTo("Bearer");
    IdentifiedRequest known =
        strict.resolve(
            address("203.0.113.9"),
            "GET",
            "/",
            TestRequestHeaders.of("x-api-key", "weir_k7_secret"));
    assertThat(known.unauthorized()).isFalse();
  }

  @Test
  void trustedProxy_providesCallerAddress() {
    IdentityResolver proxied =
        IdentityResolver.builder()
            .trustedProxies("10.0.0.0/8", "fd00::/8")
            .forwardedBy(ForwardingHeader.FORWARDED)
            .v6Bits(48)
            .build();
    TestRequestHeaders fields =
        TestRequestHeaders.of(
            "Forwarded", "for=\"[2001:db8:1:2::3]\"", "X-Forwarded-For", "1.1.1.1");
    IdentifiedRequest call = proxied.resolve(address("10.0.0.1"), "GET", "/", fields);
    assertThat(call.request().get("ip")).isEqualTo("2001:db8:1::/48");
    assertThat(call.address()).hasToString("2001:db8:1:2::3");
  }

  @Test
  void ignoreCase_appliesToEndpointAttribute() {
    IdentityResolver relaxed =
        IdentityResolver.builder()
            .endpoints(new EndpointNormalizer(EndpointNormalizer.PathOption.IGNORE_CASE))
            .build();
    IdentifiedRequest call =
        relaxed.resolve(address("1.2.3.4"), "GET", "/V1/Orders", TestRequestHeaders.of());
    assertThat(call.request().get("endpoint")).isEqualTo("GET /v1/orders");
    assertThat(call.endpoint().target()).isEqualTo("/V1/Orders");
  }

  @Test
  void webSocketMessage_keepsCaller() {
    IdentifiedRequest call = read("X-API-Key", "weir_k7_secret").withMethod("WS");
    assertThat(call.request().attributes())
        .containsAllEntriesOf(
            Map.of("endpoint", "WS /v1", "method", "WS", "path", "/v1", "user", "acme"));
  }

  @Test
  void severalLinesOfHeader_areJoined() {
    assertThat(read("X-Tenant", "a", "X-Tenant", "b").request().get("header.x-tenant"))
        .isEqualTo("a, b");
    assertThatThrownBy(() -> read("X-Tenant", "x".repeat(8193)))
        .isInstanceOf(BadRequestException.class);
  }

  @Test
  void invalidSettings_areRejected() {
    assertThatThrownBy(() -> IdentityResolver.builder().required().build())
        .hasMessage("a verified caller is required but neither api-key nor jwt is configured");
    assertThatThrownBy(() -> IdentityResolver.builder().headers("X-Tenant", "x-tenant"))
        .hasMessage("header 'x-tenant' is listed twice; list it once");
    assertThatThrownBy(() -> IdentityResolver.builder().headers("X Tenant"))
        .hasMessageEndingWith("is not a valid header field name, for example X-API-Key");
    assertThatThrownBy(() -> IdentityResolver.builder().apiKeys("", KEYS))
        .hasMessageEndingWith("is not a valid header field name, for example X-API-Key");
    assertThatThrownBy(() -> IdentityResolver.builder().headers(new String[33]))
        .hasMessageContaining("33");
    assertThatThrownBy(() -> IdentityResolver.builder().trustedProxies("10.0.0.1/8"))
        .hasMessageEndingWith("write 10.0.0.0/8");
  }

  private IdentifiedRequest read(String... fields) {
    return identity.resolve(address("203.0.113.9"), "GET", "/v1", TestRequestHeaders.of(fields));
  }

  private @Nullable String user(String... fields) {
    Request request = read(fields).request();
    return request.get("user");
  }

  private static IpAddress address(String text) {
    return Objects.requireNonNull(IpAddress.parse(text), text);
  }
}
