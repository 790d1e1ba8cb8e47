package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.Running;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No spelling of a path dodges its rule, and the upstream gets what was matched: H1. */
class PathsTest {
  @TempDir Path folder;

  @Test
  void h1EverySpellingMeetsTheRuleOrIsRefused() {
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
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = Gateways.start(folder, rules, "upstream", up.url())) {
      int left = same.length;
      for (String path : same) {
        String answer = post(server, path);
        assertThat(answer).as(path).contains("X-RateLimit-Remaining: " + left-- + "\r\n");
        String line = up.heads().get(up.heads().size() - 1).lines().findFirst().orElseThrow();
        assertThat(line).as(path).matches("POST /v1(;x)?/login(;a=b|/|\\?x=/other)? HTTP/1.1");
      }
      for (String path : bad) {
        assertThat(post(server, path)).as(path).startsWith("HTTP/1.1 400");
      }
      assertThat(up.heads()).as("what is doubtful goes nowhere").hasSize(same.length);
      assertThat(post(server, "/v1/login"))
          .as("and costs nothing")
          .contains("X-RateLimit-Remaining: 0");
      assertThat(post(server, "/v1/login")).startsWith("HTTP/1.1 429");
    }
  }

  @Test
  void h1AMethodInSmallLettersIsTheSameMethod() {
    String rules = "rules: [{id: all, match: {method: POST}, per: [ip], limit: 5/hour}]";
    try (Recorder up = Recorder.answering(Recorder.OK);
        Running server = Gateways.start(folder, rules, "upstream", up.url())) {
      String answer =
          Wire.ask(
              server.port("gateway"), "post / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
      assertThat(answer).contains("X-RateLimit-Remaining: 4");
      assertThat(up.heads().get(0)).startsWith("POST / ");
    }
  }

  private static String post(Running server, String target) {
    return Wire.ask(
        server.port("gateway"),
        "POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  }
}
