package io.weir.server.refusals;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** API words are kept; everything else a caller may have written is redacted. */
class EndpointRedactorTest {

  @ParameterizedTest
  @CsvSource({
    "GET /v1/orders,                        GET /v1/orders",
    "GET /,                                 GET /",
    "GET /v1/orders/7/items,                GET /v1/orders/*/items",
    "GET /v1/users/ann/keys,                GET /v1/users/*/keys",
    "GET /v1/users/ANN/keys,                GET /v1/users/*/keys",
    "GET /reset?token=secret,               GET /reset",
    "GET /page#secret,                      GET /page",
    "GET /a;jsessionid=secret/b,            GET /*/b",
    "GET /f/9f86d081884c7d659a2feaa0c55ad0, GET /f/*",
    "GET /f/abcdefghijklmnopqrstuvwxyz,     GET /f/*",
    "GET /%61dmin/x%0d%0ay,                 GET /*/*",
    "GET /o'neil,                           GET /*",
    "GET /ann@example.com,                  GET /*",
    "chat.completions,                      chat.completions",
    "GET //orders//,                        GET //orders//",
    "GET /tokens/sk-live-abc,               GET /tokens/*",
    "GET /backup/sk-live-abc.tar,           GET /backup/*",
  })
  void redact_keepsWordsOnly(String endpoint, String expected) {
    Request request =
        Request.of("user", "ann", "api_key", "sk-live-abc", "endpoint", endpoint, "method", "GET");
    assertThat(EndpointRedactor.redact(request, endpoint)).isEqualTo(expected);
  }

  @Test
  void redact_removesControlCharactersAndQuotes() {
    for (int c = 0; c < 0x3000; c++) {
      String endpoint = "GET /a" + (char) c + "b";
      assertThat(EndpointRedactor.redact(Request.of("endpoint", endpoint), endpoint))
          .matches("[A-Za-z0-9 /*._-]*");
    }
  }

  @Test
  void redact_limitsTheLength() {
    String endpoint = "GET " + "/abc".repeat(15_000);
    String redacted = EndpointRedactor.redact(Request.of("endpoint", endpoint), endpoint);
    assertThat(redacted).hasSize(123).startsWith("GET /abc/abc").endsWith("...");
    String hostile = "?".repeat(60_000);
    assertThat(EndpointRedactor.redact(Request.of("endpoint", hostile), hostile)).isEmpty();
  }
}
