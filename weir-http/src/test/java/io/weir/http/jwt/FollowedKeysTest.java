package io.weir.http.jwt;

import static io.weir.http.jwt.Tokens.EC;
import static io.weir.http.jwt.Tokens.OTHER_RSA;
import static io.weir.http.jwt.Tokens.RSA;
import static io.weir.http.jwt.Tokens.jwks;
import static io.weir.http.jwt.Tokens.sub;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.sun.net.httpserver.HttpServer;
import io.weir.http.jwt.FollowedKeys.Pace;
import io.weir.testkit.FakeClock;
import io.weir.testkit.Soon;
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

/** Keys that change, vanish and come back while tokens are verified. */
class FollowedKeysTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Pace LAZY = new Pace(Duration.ofHours(1), Duration.ofSeconds(10));
  private static final Pace EAGER = new Pace(Duration.ofMillis(20), Duration.ofMillis(20));
  private static final String FIRST = Tokens.rsa(RSA, JWSAlgorithm.RS256, sub("42"));
  private static final String SECOND = Tokens.rsa(OTHER_RSA, JWSAlgorithm.RS256, sub("42"));

  private final FakeClock clock = new FakeClock();
  private final AtomicInteger reads = new AtomicInteger();
  private volatile String answer = jwks(RSA);
  private volatile int status = 200;
  private final Path folder;
  private final HttpServer server;
  private JwtCredentials credentials;

  FollowedKeysTest(@TempDir Path folder) throws IOException {
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
    credentials = JwtCredentials.open(JwtSettings.ofSecret(Tokens.SECRET), clock);
  }

  @AfterEach
  void end() {
    credentials.close();
    server.stop(0);
  }

  @Test
  void aKeyThatIsMissingIsLookedForOncePerPause() {
    open(address(), LAZY);
    assertThat(credentials.verify(FIRST)).isPresent();
    answer = jwks(RSA, OTHER_RSA);
    for (int i = 0; i < 100; i++) {
      assertThat(credentials.verify(SECOND)).as("too soon after the first reading").isEmpty();
    }
    clock.advance(Duration.ofSeconds(10));
    Soon.until(SOON, "the new key is there", () -> credentials.verify(SECOND).isPresent());
    assertThat(credentials.verify(FIRST)).isPresent();
    assertThat(reads.get()).isEqualTo(2);
    String unknown = Tokens.rsa(RSA, header("stranger"), sub("42"));
    for (int i = 0; i < 100; i++) {
      assertThat(credentials.verify(unknown)).isEmpty();
    }
    assertThat(reads.get()).as("strangers cannot make us ask").isEqualTo(2);
  }

  @Test
  void aKeyThatIsWithdrawnVerifiesNoMore() {
    open(address(), EAGER);
    assertThat(credentials.verify(FIRST)).isPresent();
    answer = jwks(OTHER_RSA, EC);
    clock.advance(Duration.ofMinutes(1));
    Soon.until(SOON, "the new keys are read", () -> credentials.verify(SECOND).isPresent());
    assertThat(credentials.verify(FIRST)).as("though it was remembered").isEmpty();
  }

  @Test
  void whereReadingFailsTheLastGoodKeysServe() {
    open(address(), EAGER);
    for (String bad :
        new String[] {"<html>", "{}", "{\"keys\":[]}", "{\"keys\":[{}]}", "", "[[[["}) {
      answer = bad;
      int before = reads.get();
      clock.advance(Duration.ofMinutes(1));
      Soon.until(SOON, "it is read: " + bad, () -> reads.get() > before + 1);
      assertThat(credentials.verify(FIRST)).as(bad).isPresent();
    }
    status = 503;
    int before = reads.get();
    clock.advance(Duration.ofMinutes(1));
    Soon.until(SOON, "it is asked", () -> reads.get() > before + 1);
    assertThat(credentials.verify(FIRST)).isPresent();
    status = 200;
    answer = jwks(OTHER_RSA);
    Soon.until(SOON, "it is back", () -> credentials.verify(SECOND).isPresent());
  }

  @Test
  void anAddressMayBeAwayAtTheStart() {
    status = 500;
    open(address(), EAGER);
    assertThat(credentials.verify(FIRST)).isEmpty();
    status = 200;
    Soon.until(SOON, "the keys come", () -> credentials.verify(FIRST).isPresent());
  }

  @Test
  void aFileIsFollowed() throws IOException {
    Path file = folder.resolve("keys.json");
    Files.writeString(file, jwks(RSA));
    open("file:" + file, EAGER);
    assertThat(credentials.verify(FIRST)).isPresent();
    Files.writeString(file, jwks(OTHER_RSA));
    clock.advance(Duration.ofMinutes(1));
    Soon.until(SOON, "the new key is read", () -> credentials.verify(SECOND).isPresent());
    Files.delete(file);
    clock.advance(Duration.ofMinutes(1));
    assertThat(credentials.verify(SECOND)).isPresent();
  }

  @Test
  void aFileMustHoldKeysAtTheStart() throws IOException {
    Path none = folder.resolve("none.json");
    assertThatThrownBy(() -> open(none.toString(), LAZY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none.json")
        .hasMessageEndingWith("write the file of a JSON Web Key Set");
    Path bad = folder.resolve("bad.json");
    Files.writeString(bad, "{\"keys\":[{\"kty\":\"oct\",\"k\":\"c2VjcmV0LW1hcmtlcg\"}]}");
    assertThatThrownBy(() -> open(bad.toString(), LAZY))
        .hasMessageContaining("it holds no key for RS256, ES256")
        .hasMessageNotContaining("c2VjcmV0LW1hcmtlcg");
    Path large = folder.resolve("large.json");
    Files.writeString(large, " ".repeat(1 << 20) + jwks(RSA));
    assertThatThrownBy(() -> open(large.toString(), LAZY))
        .hasMessageContaining("larger than 1 MiB");
    assertThatThrownBy(() -> open("https://", LAZY))
        .hasMessage("jwt: jwks 'https://' is no address; write https://, a host and a path");
  }

  @Test
  void afterTheEndNothingIsRead() {
    open(address(), EAGER);
    credentials.close();
    clock.advance(Duration.ofMinutes(1));
    assertThat(credentials.verify(SECOND)).isEmpty();
    assertThat(credentials.verify(FIRST)).isPresent();
  }

  private void open(String jwks, Pace pace) {
    JwtSettings settings = JwtSettings.ofKeys(jwks);
    credentials = new JwtCredentials(settings, clock, FollowedKeys.open(settings, clock, pace));
  }

  private static JWSHeader header(String key) {
    return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key).build();
  }

  private String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
  }
}
