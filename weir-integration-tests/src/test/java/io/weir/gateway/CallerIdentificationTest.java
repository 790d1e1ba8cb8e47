package io.weir.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.Rules;
import io.weir.rules.database.DatabaseRules;
import io.weir.server.RunningServer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Identification of callers by address, token and API key, over real sockets. */
class CallerIdentificationTest {
  private static final String SECRET = "a-secret-of-the-tests-that-is-long-enough";
  private static final String FIVE_PER_IP = "rules: [{id: ip, per: [ip], limit: 5/hour}]";
  private static final String USERS =
      "rules: [{id: user, per: [user], missing: skip, limit: 3/hour}, {id: ip, per: [ip], limit: 1000/hour}]";

  @TempDir Path folder;

  private RunningServer gateway(RecordingUpstream up, String rules, String... flags) {
    String[] all = new String[flags.length + 2];
    System.arraycopy(flags, 0, all, 2, flags.length);
    all[0] = "upstream";
    all[1] = up.url();
    return GatewayTestServer.start(folder, rules, all);
  }

  private static String get(RunningServer server, String... fields) {
    StringBuilder text = new StringBuilder("GET / HTTP/1.1\r\nHost: h\r\n");
    for (String field : fields) {
      text.append(field).append("\r\n");
    }
    return RawHttpClient.exchange(server.port("gateway"), text + "\r\n");
  }

  private static boolean isAdmitted(RunningServer server, String... fields) {
    return get(server, fields).startsWith("HTTP/1.1 200");
  }

  @Test
  void forwardedForOfUntrustedCaller_isIgnored() {
    Random random = new Random(1);
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, FIVE_PER_IP)) {
      int admitted = 0;
      for (int i = 0; i < 30; i++) {
        String ip = "10.0." + random.nextInt(256) + "." + random.nextInt(256);
        admitted += isAdmitted(server, "X-Forwarded-For: " + ip, "Forwarded: for=" + ip) ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(5);
    }
  }

  @Test
  void behindTrustedProxy_lastUntrustedAddressIsTheCaller() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(up, FIVE_PER_IP, "identity-trusted-proxies", "127.0.0.0/8,10.0.0.0/8")) {
      int admitted = 0;
      for (int i = 0; i < 30; i++) {
        String chain = "X-Forwarded-For: 1.1.1." + i + ", 9.9.9.9, 10.0.0." + i;
        admitted += isAdmitted(server, chain) ? 1 : 0;
      }
      assertThat(admitted).as("addresses left of 9.9.9.9 are not trusted").isEqualTo(5);
      assertThat(isAdmitted(server, "X-Forwarded-For: 8.8.8.8")).isTrue();
      for (String bad :
          new String[] {"nonsense", "127.1", "localhost", "9.9.9.9:x", ",,", "\"", "unknown"}) {
        assertThat(get(server, "X-Forwarded-For: " + bad)).as(bad).contains("X-RateLimit-Limit: 5");
      }
    }
  }

  @Test
  void ipv6Prefix_sharesOneBudgetAndMappedIpv4IsIpv4() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, FIVE_PER_IP, "identity-trusted-proxies", "127.0.0.1")) {
      int admitted = 0;
      for (int i = 0; i < 30; i++) {
        admitted +=
            isAdmitted(server, "X-Forwarded-For: 2001:db8:1:2::" + Integer.toHexString(i)) ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(5);
      assertThat(isAdmitted(server, "X-Forwarded-For: 2001:db8:1:3::1")).isTrue();
      admitted = 0;
      for (int i = 0; i < 30; i++) {
        admitted +=
            isAdmitted(server, "X-Forwarded-For: " + (i % 2 == 0 ? "::ffff:" : "") + "1.2.3.4")
                ? 1
                : 0;
      }
      assertThat(admitted).isEqualTo(5);
      assertThat(isAdmitted(server, "X-Forwarded-For: ::ffff:1.2.3.5")).isTrue();
    }
  }

  @Test
  void unverifiedToken_isChargedByAddressOnly() throws GeneralSecurityException {
    String none = encode("{\"alg\":\"none\"}") + "." + encode("{\"sub\":\"victim\"}") + ".";
    String[] bad = {
      "Bearer " + none,
      "Bearer " + token("another-secret-that-is-long-enough-too", "{\"sub\":\"victim\"}"),
      "Bearer " + token(SECRET, "{\"sub\":\"victim\",\"exp\":1000000000}"),
      "Bearer victim",
      "Basic dmljdGltOng="
    };
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, USERS, "identity-jwt-secret", SECRET)) {
      for (int i = 0; i < 20; i++) {
        assertThat(get(server, "Authorization: " + bad[i % bad.length]))
            .startsWith("HTTP/1.1 200")
            .contains("X-RateLimit-Limit: 1000");
      }
      String good = "Authorization: Bearer " + token(SECRET, "{\"sub\":\"victim\"}");
      for (int left = 2; left >= 0; left--) {
        assertThat(get(server, good)).contains("X-RateLimit-Remaining: " + left + "\r\n");
      }
      assertThat(get(server, good)).startsWith("HTTP/1.1 429");
    }
  }

  @Test
  void identityIsRequired_guessesGet401AndAreLimited() throws GeneralSecurityException {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(up, FIVE_PER_IP, "identity-jwt-secret", SECRET, "identity-required", "true")) {
      for (int i = 0; i < 5; i++) {
        assertThat(get(server, "Authorization: Bearer guess" + i))
            .startsWith("HTTP/1.1 401")
            .containsIgnoringCase("WWW-Authenticate: Bearer")
            .contains("X-RateLimit-Remaining: ");
      }
      assertThat(get(server, "Authorization: Bearer guess")).startsWith("HTTP/1.1 429");
      assertThat(up.requestHeads()).isEmpty();
    }
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            gateway(up, FIVE_PER_IP, "identity-jwt-secret", SECRET, "identity-required", "true")) {
      assertThat(isAdmitted(server, "Authorization: Bearer " + token(SECRET, "{\"sub\":\"u\"}")))
          .isTrue();
    }
  }

  @Test
  void guessedApiKey_isChargedByAddressOnly() {
    String rules = "jdbc:h2:file:" + folder.resolve("rules").toAbsolutePath();
    String secret;
    try (DatabaseRules database = DatabaseRules.open(rules)) {
      Rules.read("the test's rules", USERS).forEach(r -> database.put(r, "test", 0));
      secret = database.keys().create("victim", "pro", "test").secret();
    }
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = gateway(up, USERS, "rules", rules)) {
      Random random = new Random(3);
      for (int i = 0; i < 20; i++) {
        String guess = i % 2 == 0 ? "weir_" + random.nextLong() : secret.substring(0, i + 5);
        assertThat(get(server, "X-API-Key: " + guess))
            .startsWith("HTTP/1.1 200")
            .contains("X-RateLimit-Limit: 1000");
      }
      for (int left = 2; left >= 0; left--) {
        assertThat(get(server, "X-API-Key: " + secret))
            .contains("X-RateLimit-Remaining: " + left + "\r\n");
      }
      assertThat(get(server, "X-API-Key: " + secret)).startsWith("HTTP/1.1 429");
    }
  }

  private static String token(String secret, String claims) throws GeneralSecurityException {
    String body = encode("{\"alg\":\"HS256\"}") + "." + encode(claims);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    return body
        + "."
        + Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(body.getBytes(UTF_8)));
  }

  private static String encode(String json) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
  }
}
