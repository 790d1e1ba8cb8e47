package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every spelling of a path matches its rule, and the upstream gets the path that was matched. */
class PathNormalizationTest {
  @TempDir Path folder;

  @Test
  void everySpelling_matchesTheRuleOrIsRejected() {
    String[] same = {
      "/v1/login",
      "//v1//login",
      "/v1/%6cogin",
      "/%761/log%69n",
      "/v1/login;a=b",
      "/v1;x/login",
      "/v1/./login",
      "/v1/x/../login",
      "/v1/x/%2e%2e/login",
      "/v1/login/",
      "/v1/login?x=/other",
      "http://h/v1/login"
    };
    String[] bad = {
      "/v1%2flogin", "/v1/login%2f", "/v1\\login", "/v1%5clogin", "/v1/%256cogin", "/../v1/login",
      "/v1/login%00", "/v1/login#x", "/v1/..;/v1/login", "v1/login", "/v1/%c0%afx", "*"
    };
    String rules =
        "rules: [{id: login, match: {endpoint: \"POST /v1/login\"}, per: [ip], limit: "
            + (same.length + 1)
            + "/hour}]";
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = GatewayTestServer.start(folder, rules, "upstream", up.url())) {
      int left = same.length;
      for (String path : same) {
        String answer = post(server, path);
        assertThat(answer).as(path).contains("X-RateLimit-Remaining: " + left-- + "\r\n");
        String line =
            up.requestHeads().get(up.requestHeads().size() - 1).lines().findFirst().orElseThrow();
        assertThat(line).as(path).matches("POST /v1(;x)?/login(;a=b|/|\\?x=/other)? HTTP/1.1");
      }
      for (String path : bad) {
        assertThat(post(server, path)).as(path).startsWith("HTTP/1.1 400");
      }
      assertThat(up.requestHeads()).as("ambiguous paths are not forwarded").hasSize(same.length);
      assertThat(post(server, "/v1/login"))
          .as("rejected paths are not charged")
          .contains("X-RateLimit-Remaining: 0");
      assertThat(post(server, "/v1/login")).startsWith("HTTP/1.1 429");
    }
  }

  @Test
  void lowercaseMethod_isTheSameMethod() {
    String rules = "rules: [{id: all, match: {method: POST}, per: [ip], limit: 5/hour}]";
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = GatewayTestServer.start(folder, rules, "upstream", up.url())) {
      String answer =
          RawHttpClient.exchange(
              server.port("gateway"), "post / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
      assertThat(answer).contains("X-RateLimit-Remaining: 4");
      assertThat(up.requestHeads().get(0)).startsWith("POST / ");
    }
  }

  private static String post(RunningServer server, String target) {
    return RawHttpClient.exchange(
        server.port("gateway"),
        "POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  }
}
