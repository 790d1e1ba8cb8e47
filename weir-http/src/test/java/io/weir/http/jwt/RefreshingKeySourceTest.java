package io.weir.http.jwt;

import static io.weir.http.jwt.TestTokens.EC;
import static io.weir.http.jwt.TestTokens.OTHER_RSA;
import static io.weir.http.jwt.TestTokens.RSA;
import static io.weir.http.jwt.TestTokens.jwks;
import static io.weir.http.jwt.TestTokens.sub;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.sun.net.httpserver.HttpServer;
import io.weir.http.jwt.RefreshingKeySource.RefreshSchedule;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests keys that change, disappear and return while tokens are verified. */
class RefreshingKeySourceTest {
  private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(20);
  private static final RefreshSchedule SLOW_REFRESH =
      new RefreshSchedule(Duration.ofHours(1), Duration.ofSeconds(10));
  private static final RefreshSchedule FAST_REFRESH =
      new RefreshSchedule(Duration.ofMillis(20), Duration.ofMillis(20));
  private static final String FIRST_TOKEN = TestTokens.rsa(RSA, JWSAlgorithm.RS256, sub("42"));
  private static final String SECOND_TOKEN =
      TestTokens.rsa(OTHER_RSA, JWSAlgorithm.RS256, sub("42"));

  private final FakeClock clock = new FakeClock();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile String answer = jwks(RSA);
  private volatile int status = 200;
  private final Path folder;
  private final HttpServer server;
  private JwtVerifier credentials;

  RefreshingKeySourceTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/keys",
        exchange -> {
          reads.incrementAndGet();
          byte[] body = answer.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    credentials = JwtVerifier.open(JwtSettings.ofSecret(TestTokens.SECRET), clock);
  }

  @AfterEach
  void end() {
    credentials.close();
    server.stop(0);
  }

  @Test
  void unknownKey_triggersAtMostOneReadPerInterval() {
    open(address(), SLOW_REFRESH);
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
    answer = jwks(RSA, OTHER_RSA);
    for (int i = 0; i < 100; i++) {
      assertThat(credentials.verify(SECOND_TOKEN)).as("too soon after the first read").isEmpty();
    }
    clock.advance(Duration.ofSeconds(10));
    Await.until(
        AWAIT_TIMEOUT, "the new key is loaded", () -> credentials.verify(SECOND_TOKEN).isPresent());
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
    assertThat(reads.get()).isEqualTo(2);
    String unknown = TestTokens.rsa(RSA, header("stranger"), sub("42"));
    for (int i = 0; i < 100; i++) {
      assertThat(credentials.verify(unknown)).isEmpty();
    }
    assertThat(reads.get()).as("unknown keys cannot force further reads").isEqualTo(2);
  }

  @Test
  void withdrawnKey_verifiesNothing() {
    open(address(), FAST_REFRESH);
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
    answer = jwks(OTHER_RSA, EC);
    clock.advance(Duration.ofMinutes(1));
    Await.until(
        AWAIT_TIMEOUT, "the new keys are read", () -> credentials.verify(SECOND_TOKEN).isPresent());
    assertThat(credentials.verify(FIRST_TOKEN)).as("no longer served from the cache").isEmpty();
  }

  @Test
  void failedRead_keepsLastGoodKeys() {
    open(address(), FAST_REFRESH);
    for (String bad :
        new String[] {"<html>", "{}", "{\"keys\":[]}", "{\"keys\":[{}]}", "", "[[[["}) {
      answer = bad;
      int before = reads.get();
      clock.advance(Duration.ofMinutes(1));
      Await.until(AWAIT_TIMEOUT, "the keys are read: " + bad, () -> reads.get() > before + 1);
      assertThat(credentials.verify(FIRST_TOKEN)).as(bad).isPresent();
    }
    status = 503;
    int before = reads.get();
    clock.advance(Duration.ofMinutes(1));
    Await.until(AWAIT_TIMEOUT, "the keys are requested", () -> reads.get() > before + 1);
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
    status = 200;
    answer = jwks(OTHER_RSA);
    Await.until(
        AWAIT_TIMEOUT,
        "the keys are available again",
        () -> credentials.verify(SECOND_TOKEN).isPresent());
  }

  @Test
  void unreachableAddressAtStart_isRetried() {
    status = 500;
    open(address(), FAST_REFRESH);
    assertThat(credentials.verify(FIRST_TOKEN)).isEmpty();
    status = 200;
    Await.until(
        AWAIT_TIMEOUT, "the keys are loaded", () -> credentials.verify(FIRST_TOKEN).isPresent());
  }

  @Test
  void changedFile_isReadAgain() throws IOException {
    Path file = folder.resolve("keys.json");
    Files.writeString(file, jwks(RSA));
    open("file:" + file, FAST_REFRESH);
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
    Files.writeString(file, jwks(OTHER_RSA));
    clock.advance(Duration.ofMinutes(1));
    Await.until(
        AWAIT_TIMEOUT, "the new key is read", () -> credentials.verify(SECOND_TOKEN).isPresent());
    Files.delete(file);
    clock.advance(Duration.ofMinutes(1));
    assertThat(credentials.verify(SECOND_TOKEN)).isPresent();
  }

  @Test
  void fileWithoutKeysAtStart_isRejected() throws IOException {
    Path none = folder.resolve("none.json");
    assertThatThrownBy(() -> open(none.toString(), SLOW_REFRESH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none.json")
        .hasMessageEndingWith("expected a JSON Web Key Set file");
    Path bad = folder.resolve("bad.json");
    Files.writeString(bad, "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0LW1hcmtlcg\"}]}");
    assertThatThrownBy(() -> open(bad.toString(), SLOW_REFRESH))
        .hasMessageContaining("no usable key for RS256, ES256")
        .hasMessageNotContaining("c2VjcmV0LW1hcmtlcg");
    Path large = folder.resolve("large.json");
    Files.writeString(large, " ".repeat(1 << 20) + jwks(RSA));
    assertThatThrownBy(() -> open(large.toString(), SLOW_REFRESH))
        .hasMessageContaining("larger than 1 MiB");
    assertThatThrownBy(() -> open("https://", SLOW_REFRESH))
        .hasMessage(
            "jwt: jwks 'https://' is not a valid URL,"
                + " for example https://id.example/jwks.json");
  }

  @Test
  void afterClose_nothingIsRead() {
    open(address(), FAST_REFRESH);
    credentials.close();
    clock.advance(Duration.ofMinutes(1));
    assertThat(credentials.verify(SECOND_TOKEN)).isEmpty();
    assertThat(credentials.verify(FIRST_TOKEN)).isPresent();
  }

  private void open(String jwks, RefreshSchedule pace) {
    JwtSettings settings = JwtSettings.ofKeys(jwks);
    credentials = new JwtVerifier(settings, clock, RefreshingKeySource.open(settings, clock, pace));
  }

  private static JWSHeader header(String key) {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key).build();
  }

  private String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
  }
}
