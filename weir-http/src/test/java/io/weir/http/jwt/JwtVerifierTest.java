package io.weir.http.jwt;

import static io.weir.http.jwt.TestTokens.EC;
import static io.weir.http.jwt.TestTokens.OTHER_RSA;
import static io.weir.http.jwt.TestTokens.RSA;
import static io.weir.http.jwt.TestTokens.SECRET;
import static io.weir.http.jwt.TestTokens.jwks;
import static io.weir.http.jwt.TestTokens.raw;
import static io.weir.http.jwt.TestTokens.sub;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import io.weir.http.VerifiedCaller;
import io.weir.testkit.FakeClock;
import io.weir.testkit.RandomHistory;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a token is accepted only if its signature, validity period and claims are valid. */
class JwtVerifierTest {
  private final FakeClock clock = new FakeClock();
  private final JwtVerifier hmac = JwtVerifier.open(JwtSettings.ofSecret(SECRET), clock);
  private final JwtVerifier keys = keys(List.of("RS256", "ES256"), jwks(RSA, EC));

  @Test
  void validToken_givesSubjectAndTier() {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject("acme")
            .claim("tier", "pro")
            .expirationTime(in(Duration.ofHours(1)))
            .notBeforeTime(in(Duration.ZERO))
            .build();
    VerifiedCaller acme = new VerifiedCaller("", "acme", "pro");
    assertThat(hmac.verify(TestTokens.hmac(claims))).contains(acme);
    assertThat(keys.verify(TestTokens.rsa(RSA, JWSAlgorithm.RS256, claims))).contains(acme);
    assertThat(keys.verify(TestTokens.ec(claims))).contains(acme);
  }

  @Test
  void tokenWithoutOptionalClaims_isAccepted() {
    assertThat(hmac.verify(TestTokens.hmac(sub("42")))).contains(new VerifiedCaller("", "42", ""));
    String nameless = TestTokens.rsa(RSA, new JWSHeader(JWSAlgorithm.RS256), sub("42"));
    assertThat(keys.verify(nameless)).isPresent();
    JWTClaimsSet odd = new JWTClaimsSet.Builder().subject("42").claim("tier", 7).build();
    assertThat(hmac.verify(TestTokens.hmac(odd))).contains(new VerifiedCaller("", "42", ""));
  }

  @Test
  void forgedToken_isRejected() throws JOSEException {
    String header = "{\"alg\":\"none\"}";
    String payload = "{\"sub\":\"victim\"}";
    String good = TestTokens.hmac(sub("victim"));
    String signature = good.substring(good.lastIndexOf('.') + 1);
    assertRejected(hmac, "none", raw(header, payload, ""));
    assertRejected(hmac, "none, with a signature", raw(header, payload, signature));
    assertRejected(hmac, "None", raw("{\"alg\":\"None\"}", payload, ""));
    assertRejected(hmac, "no alg", raw("{}", payload, signature));
    assertRejected(hmac, "alg is not a string", raw("{\"alg\":256}", payload, signature));
    assertRejected(hmac, "no signature", good.substring(0, good.lastIndexOf('.') + 1));
    assertRejected(hmac, "another payload", raw("{\"alg\":\"HS256\"}", payload + " ", signature));
    assertRejected(
        hmac, "another secret", TestTokens.hmac(JWSAlgorithm.HS256, "x".repeat(32), sub("victim")));
    assertRejected(
        hmac,
        "another algorithm than configured",
        TestTokens.hmac(JWSAlgorithm.HS512, SECRET + SECRET, sub("victim")));
    String publicKey = new String(RSA.toRSAPublicKey().getEncoded(), StandardCharsets.ISO_8859_1);
    assertRejected(
        keys,
        "the public key as a secret",
        TestTokens.hmac(JWSAlgorithm.HS256, publicKey, sub("victim")));
    assertRejected(
        keys, "another key", TestTokens.rsa(OTHER_RSA, JWSAlgorithm.RS256, sub("victim")));
    assertRejected(
        keys,
        "another key with our key id",
        TestTokens.rsa(OTHER_RSA, rs256().keyID("rsa-1").build(), sub("victim")));
    assertRejected(
        keys,
        "key embedded in the header",
        TestTokens.rsa(
            OTHER_RSA, rs256().keyID("rsa-1").jwk(OTHER_RSA.toPublicJWK()).build(), sub("victim")));
    assertRejected(
        keys, "algorithm not configured", TestTokens.rsa(RSA, JWSAlgorithm.PS256, sub("victim")));
    assertRejected(
        keys,
        "key id of the other key",
        TestTokens.rsa(RSA, rs256().keyID("ec-1").build(), sub("victim")));
    assertRejected(
        keys,
        "unknown critical header",
        TestTokens.rsa(
            RSA,
            rs256().keyID("rsa-1").criticalParams(Set.of("x")).customParam("x", 1).build(),
            sub("victim")));
    assertRejected(
        keys,
        "ECDSA signature of zeros",
        raw("{\"alg\":\"ES256\",\"kid\":\"ec-1\"}", payload, "A".repeat(86)));
    assertRejected(keys, "HMAC token", TestTokens.hmac(sub("victim")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "...",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "e30.e30.",
        "e30.e30.e30",
        " . . ",
        "weir_abc_def",
        "eyJhbGciOiJIUzI1NiJ9.e30.\u00e9",
        "\0.\0.\0",
        "a.b.c\r\n"
      })
  void malformedToken_isRejected(String token) {
    assertRejected(hmac, "garbage", token);
    assertRejected(keys, "garbage", token);
  }

  @Test
  void deeplyNestedOrHugeToken_isRejected() {
    String deep = "[".repeat(3000);
    assertRejected(hmac, "deep", raw("{\"alg\":\"HS256\",\"x\":" + deep, "{}", "AAAA"));
    assertRejected(hmac, "deep", raw("{\"alg\":\"HS256\"}", deep, "AAAA"));
    assertRejected(hmac, "long", TestTokens.hmac(sub("x".repeat(10_000))));
    assertRejected(hmac, "long", "a".repeat(1_000_000) + ".b.c");
  }

  @Test
  void tokenWithoutSubject_isRejected() {
    assertRejected(
        hmac, "no sub", TestTokens.hmac(new JWTClaimsSet.Builder().claim("a", 1).build()));
    assertRejected(hmac, "empty sub", TestTokens.hmac(sub("")));
    assertRejected(hmac, "long sub", TestTokens.hmac(sub("x".repeat(513))));
    Map<String, Object> list = Map.of("sub", List.of("a"));
    assertRejected(hmac, "sub is a list", TestTokens.hmac(claims(list)));
  }

  @Test
  void expiryAndNotBefore_allowLeeway() {
    String ends =
        TestTokens.hmac(
            new JWTClaimsSet.Builder()
                .subject("42")
                .expirationTime(in(Duration.ofMinutes(10)))
                .build());
    String begins =
        TestTokens.hmac(
            new JWTClaimsSet.Builder()
                .subject("42")
                .notBeforeTime(in(Duration.ofMinutes(10)))
                .build());
    assertThat(hmac.verify(ends)).isPresent();
    assertThat(hmac.verify(begins)).isEmpty();
    clock.advance(Duration.ofSeconds(569));
    assertThat(hmac.verify(begins)).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(hmac.verify(begins)).isPresent();
    clock.advance(Duration.ofSeconds(59));
    assertThat(hmac.verify(ends)).as("cached").isPresent();
    clock.advance(Duration.ofSeconds(1));
    assertThat(hmac.verify(ends)).as("cached, and expired").isEmpty();
    assertThat(JwtVerifier.open(JwtSettings.ofSecret(SECRET), clock).verify(ends)).isEmpty();
  }

  @Test
  void extremeTimes_areHandled() {
    assertRejected(hmac, "long ago", TestTokens.hmac(claims(Map.of("sub", "a", "exp", -1L << 40))));
    assertRejected(
        hmac, "exp is text", TestTokens.hmac(claims(Map.of("sub", "a", "exp", "never"))));
    assertThat(hmac.verify(TestTokens.hmac(claims(Map.of("sub", "a", "exp", 1L << 50)))))
        .isPresent();
    assertRejected(
        hmac, "nbf in the future", TestTokens.hmac(claims(Map.of("sub", "a", "nbf", 1L << 50))));
  }

  @Test
  void configuredIssuerAndAudience_areEnforced() {
    JwtSettings demanding =
        JwtSettings.ofSecret(SECRET).withIssuer("https://id.example").withAudience("orders");
    JwtVerifier strict = JwtVerifier.open(demanding, clock);
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .subject("42")
            .issuer("https://id.example")
            .audience(List.of("billing", "orders"));
    assertThat(strict.verify(TestTokens.hmac(claims.build()))).isPresent();
    assertRejected(strict, "audience", TestTokens.hmac(claims.audience("billing").build()));
    assertRejected(strict, "no audience", TestTokens.hmac(claims.audience((String) null).build()));
    claims.audience("orders");
    assertThat(strict.verify(TestTokens.hmac(claims.build()))).isPresent();
    assertRejected(strict, "issuer", TestTokens.hmac(claims.issuer("https://id.example/").build()));
    assertRejected(strict, "no issuer", TestTokens.hmac(claims.issuer(null).build()));
  }

  @Test
  void key_isUsedForItsAlgorithmAndUseOnly() {
    String token = TestTokens.rsa(RSA, JWSAlgorithm.PS256, sub("42"));
    assertThat(keys(List.of("PS256"), jwks(RSA)).verify(token)).isPresent();
    String bound = "{\"keys\":[" + with(RSA, "alg", "RS256") + "," + with(EC, "use", "sig") + "]}";
    assertThat(keys(List.of("PS256", "RS256", "ES256"), bound).verify(token)).isEmpty();
    String encrypts = "{\"keys\":[" + with(RSA, "use", "enc") + "," + with(EC, "use", "sig") + "]}";
    assertThat(
            keys(List.of("RS256", "ES256"), encrypts)
                .verify(TestTokens.rsa(RSA, JWSAlgorithm.RS256, sub("42"))))
        .isEmpty();
  }

  @Test
  void weakKeys_areRejected() {
    assertThatThrownBy(() -> JwtKeySet.parse(jwks(TestTokens.rsa("weak", 1024)), List.of("RS256")))
        .isInstanceOf(ParseException.class)
        .hasMessage("no usable key for RS256");
  }

  /** A valid token with any changed character is rejected. */
  @Test
  void everyModifiedToken_isRejected() {
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    String good = TestTokens.hmac(sub("victim"));
    for (int step = 0; step < 2000; step++) {
      StringBuilder token = new StringBuilder(good);
      int at = random.nextInt(good.length() - 1); // the last character has unused bits
      token.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
      assertThat(hmac.verify(token.toString()).isPresent())
          .as("-Dweir.seed=%d: %s", seed, token)
          .isEqualTo(token.toString().equals(good));
    }
  }

  private JwtVerifier keys(List<String> algorithms, String jwks) {
    try {
      JwtKeySet set = JwtKeySet.parse(jwks, algorithms);
      JwtSettings settings = JwtSettings.ofKeys("given.json").withAlgorithms(algorithms);
      return new JwtVerifier(settings, clock, () -> set);
    } catch (ParseException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertRejected(JwtVerifier credentials, String why, String token) {
    assertThat(credentials.verify(token)).as(why).isEmpty();
  }

  private static JWSHeader.Builder rs256() {
    return new JWSHeader.Builder(JWSAlgorithm.RS256);
  }

  private static String with(com.nimbusds.jose.jwk.JWK key, String name, String value) {
    Map<String, Object> json = key.toPublicJWK().toJSONObject();
    json.put(name, value);
    return com.nimbusds.jose.util.JSONObjectUtils.toJSONString(json);
  }

  private static JWTClaimsSet claims(Map<String, Object> values) {
    JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder();
    values.forEach(claims::claim);
    return claims.build();
  }

  private Date in(Duration time) {
    return Date.from(clock.now().plus(time));
  }
}
