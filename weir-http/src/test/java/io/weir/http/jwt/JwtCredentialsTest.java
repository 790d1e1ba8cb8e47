package io.weir.http.jwt;

import static io.weir.http.jwt.Tokens.EC;
import static io.weir.http.jwt.Tokens.OTHER_RSA;
import static io.weir.http.jwt.Tokens.RSA;
import static io.weir.http.jwt.Tokens.SECRET;
import static io.weir.http.jwt.Tokens.jwks;
import static io.weir.http.jwt.Tokens.raw;
import static io.weir.http.jwt.Tokens.sub;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import io.weir.http.Caller;
import io.weir.testkit.FakeClock;
import io.weir.testkit.History;
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

/** G3: a token is somebody's only if its signature, times and claims hold. */
class JwtCredentialsTest {
  private final FakeClock clock = new FakeClock();
  private final JwtCredentials hmac = JwtCredentials.open(JwtSettings.ofSecret(SECRET), clock);
  private final JwtCredentials keys = keys(List.of("RS256", "ES256"), jwks(RSA, EC));

  @Test
  void aGoodTokenIsItsSubjects() {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject("acme")
            .claim("tier", "pro")
            .expirationTime(in(Duration.ofHours(1)))
            .notBeforeTime(in(Duration.ZERO))
            .build();
    Caller acme = new Caller("", "acme", "pro");
    assertThat(hmac.verify(Tokens.hmac(claims))).contains(acme);
    assertThat(keys.verify(Tokens.rsa(RSA, JWSAlgorithm.RS256, claims))).contains(acme);
    assertThat(keys.verify(Tokens.ec(claims))).contains(acme);
  }

  @Test
  void aTokenNeedsNoTierNoEndAndNoKeyId() {
    assertThat(hmac.verify(Tokens.hmac(sub("42")))).contains(new Caller("", "42", ""));
    String nameless = Tokens.rsa(RSA, new JWSHeader(JWSAlgorithm.RS256), sub("42"));
    assertThat(keys.verify(nameless)).isPresent();
    JWTClaimsSet odd = new JWTClaimsSet.Builder().subject("42").claim("tier", 7).build();
    assertThat(hmac.verify(Tokens.hmac(odd))).contains(new Caller("", "42", ""));
  }

  @Test
  void whatIsForgedIsNobodys() throws JOSEException {
    String header = "{\"alg\":\"none\"}";
    String payload = "{\"sub\":\"victim\"}";
    String good = Tokens.hmac(sub("victim"));
    String signature = good.substring(good.lastIndexOf('.') + 1);
    assertNobodys(hmac, "none", raw(header, payload, ""));
    assertNobodys(hmac, "none, with a signature", raw(header, payload, signature));
    assertNobodys(hmac, "None", raw("{\"alg\":\"None\"}", payload, ""));
    assertNobodys(hmac, "no alg", raw("{}", payload, signature));
    assertNobodys(hmac, "alg is no text", raw("{\"alg\":256}", payload, signature));
    assertNobodys(hmac, "no signature", good.substring(0, good.lastIndexOf('.') + 1));
    assertNobodys(hmac, "another payload", raw("{\"alg\":\"HS256\"}", payload + " ", signature));
    assertNobodys(
        hmac, "another secret", Tokens.hmac(JWSAlgorithm.HS256, "x".repeat(32), sub("victim")));
    assertNobodys(
        hmac,
        "another algorithm than is pinned",
        Tokens.hmac(JWSAlgorithm.HS512, SECRET + SECRET, sub("victim")));
    String publicKey = new String(RSA.toRSAPublicKey().getEncoded(), StandardCharsets.ISO_8859_1);
    assertNobodys(
        keys,
        "the public key as a secret",
        Tokens.hmac(JWSAlgorithm.HS256, publicKey, sub("victim")));
    assertNobodys(keys, "another key", Tokens.rsa(OTHER_RSA, JWSAlgorithm.RS256, sub("victim")));
    assertNobodys(
        keys,
        "another key under the name of ours",
        Tokens.rsa(OTHER_RSA, rs256().keyID("rsa-1").build(), sub("victim")));
    assertNobodys(
        keys,
        "a key of its own in the header",
        Tokens.rsa(
            OTHER_RSA, rs256().keyID("rsa-1").jwk(OTHER_RSA.toPublicJWK()).build(), sub("victim")));
    assertNobodys(
        keys, "not among the algorithms", Tokens.rsa(RSA, JWSAlgorithm.PS256, sub("victim")));
    assertNobodys(
        keys,
        "the name of the other key",
        Tokens.rsa(RSA, rs256().keyID("ec-1").build(), sub("victim")));
    assertNobodys(
        keys,
        "something critical nobody knows",
        Tokens.rsa(
            RSA,
            rs256().keyID("rsa-1").criticalParams(Set.of("x")).customParam("x", 1).build(),
            sub("victim")));
    assertNobodys(
        keys,
        "zeros for a signature of a curve",
        raw("{\"alg\":\"ES256\",\"kid\":\"ec-1\"}", payload, "A".repeat(86)));
    assertNobodys(keys, "a token of a secret", Tokens.hmac(sub("victim")));
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
  void whatIsNoTokenIsNobodys(String token) {
    assertNobodys(hmac, "garbage", token);
    assertNobodys(keys, "garbage", token);
  }

  @Test
  void bombsAreNobodys() {
    String deep = "[".repeat(3000);
    assertNobodys(hmac, "deep", raw("{\"alg\":\"HS256\",\"x\":" + deep, "{}", "AAAA"));
    assertNobodys(hmac, "deep", raw("{\"alg\":\"HS256\"}", deep, "AAAA"));
    assertNobodys(hmac, "long", Tokens.hmac(sub("x".repeat(10_000))));
    assertNobodys(hmac, "long", "a".repeat(1_000_000) + ".b.c");
  }

  @Test
  void aTokenWithoutASubjectIsNobodys() {
    assertNobodys(hmac, "no sub", Tokens.hmac(new JWTClaimsSet.Builder().claim("a", 1).build()));
    assertNobodys(hmac, "empty sub", Tokens.hmac(sub("")));
    assertNobodys(hmac, "long sub", Tokens.hmac(sub("x".repeat(513))));
    Map<String, Object> list = Map.of("sub", List.of("a"));
    assertNobodys(hmac, "sub is a list", Tokens.hmac(claims(list)));
  }

  @Test
  void timesHoldToTheLeeway() {
    String ends =
        Tokens.hmac(
            new JWTClaimsSet.Builder()
                .subject("42")
                .expirationTime(in(Duration.ofMinutes(10)))
                .build());
    String begins =
        Tokens.hmac(
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
    assertThat(hmac.verify(ends)).as("remembered").isPresent();
    clock.advance(Duration.ofSeconds(1));
    assertThat(hmac.verify(ends)).as("remembered, and over").isEmpty();
    assertThat(JwtCredentials.open(JwtSettings.ofSecret(SECRET), clock).verify(ends)).isEmpty();
  }

  @Test
  void timesNoClockReachesDoNoHarm() {
    assertNobodys(hmac, "long ago", Tokens.hmac(claims(Map.of("sub", "a", "exp", -1L << 40))));
    assertNobodys(hmac, "exp is text", Tokens.hmac(claims(Map.of("sub", "a", "exp", "never"))));
    assertThat(hmac.verify(Tokens.hmac(claims(Map.of("sub", "a", "exp", 1L << 50))))).isPresent();
    assertNobodys(hmac, "far off", Tokens.hmac(claims(Map.of("sub", "a", "nbf", 1L << 50))));
  }

  @Test
  void issuerAndAudienceHoldWhereTheyAreDemanded() {
    JwtSettings demanding =
        JwtSettings.ofSecret(SECRET).withIssuer("https://id.example").withAudience("orders");
    JwtCredentials strict = JwtCredentials.open(demanding, clock);
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .subject("42")
            .issuer("https://id.example")
            .audience(List.of("billing", "orders"));
    assertThat(strict.verify(Tokens.hmac(claims.build()))).isPresent();
    assertNobodys(strict, "audience", Tokens.hmac(claims.audience("billing").build()));
    assertNobodys(strict, "no audience", Tokens.hmac(claims.audience((String) null).build()));
    claims.audience("orders");
    assertThat(strict.verify(Tokens.hmac(claims.build()))).isPresent();
    assertNobodys(strict, "issuer", Tokens.hmac(claims.issuer("https://id.example/").build()));
    assertNobodys(strict, "no issuer", Tokens.hmac(claims.issuer(null).build()));
  }

  @Test
  void aKeyIsForItsOwnAlgorithmAndPurpose() {
    String token = Tokens.rsa(RSA, JWSAlgorithm.PS256, sub("42"));
    assertThat(keys(List.of("PS256"), jwks(RSA)).verify(token)).isPresent();
    String bound = "{\"keys\":[" + with(RSA, "alg", "RS256") + "," + with(EC, "use", "sig") + "]}";
    assertThat(keys(List.of("PS256", "RS256", "ES256"), bound).verify(token)).isEmpty();
    String encrypts = "{\"keys\":[" + with(RSA, "use", "enc") + "," + with(EC, "use", "sig") + "]}";
    assertThat(
            keys(List.of("RS256", "ES256"), encrypts)
                .verify(Tokens.rsa(RSA, JWSAlgorithm.RS256, sub("42"))))
        .isEmpty();
  }

  @Test
  void weakKeysAreNotTaken() {
    assertThatThrownBy(() -> KeySet.parse(jwks(Tokens.rsa("weak", 1024)), List.of("RS256")))
        .isInstanceOf(ParseException.class)
        .hasMessage("it holds no key for RS256");
  }

  /** Whatever is changed in a good token, it is nobody's. */
  @Test
  void everyChangeIsNoticed() {
    long seed = History.seed();
    Random random = new Random(seed);
    String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    String good = Tokens.hmac(sub("victim"));
    for (int step = 0; step < 2000; step++) {
      StringBuilder token = new StringBuilder(good);
      int at = random.nextInt(good.length() - 1); // the last holds bits that mean nothing
      token.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
      assertThat(hmac.verify(token.toString()).isPresent())
          .as("-Dweir.seed=%d: %s", seed, token)
          .isEqualTo(token.toString().equals(good));
    }
  }

  private JwtCredentials keys(List<String> algorithms, String jwks) {
    try {
      KeySet set = KeySet.parse(jwks, algorithms);
      JwtSettings settings = JwtSettings.ofKeys("given.json").withAlgorithms(algorithms);
      return new JwtCredentials(settings, clock, () -> set);
    } catch (ParseException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertNobodys(JwtCredentials credentials, String why, String token) {
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
