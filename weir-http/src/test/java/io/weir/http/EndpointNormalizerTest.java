package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.http.EndpointNormalizer.PathOption;
import io.weir.rule.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no spelling of a path evades a rule and that the matched path is forwarded. */
class EndpointNormalizerTest {
  private final EndpointNormalizer endpoints = new EndpointNormalizer();

  @ParameterizedTest
  @CsvSource(
      delimiterString = " | ",
      quoteCharacter = '§',
      textBlock =
          """
          # sent                            | matched              | forwarded
          /                                 | /                    | /
          /v1/login                         | /v1/login            | /v1/login
          /v1/login?next=/a/../b            | /v1/login            | /v1/login?next=/a/../b
          /v1/login?                        | /v1/login            | /v1/login?
          /?a=b                             | /                    | /?a=b
          /v1/login/                        | /v1/login            | /v1/login/
          /v1/login/?x                      | /v1/login            | /v1/login/?x
          //v1//login                       | /v1/login            | /v1/login
          ///                               | /                    | /
          /v1/login//                       | /v1/login            | /v1/login/
          /v1/%6cogin                       | /v1/login            | /v1/login
          /v1/%6Cogi%6e                     | /v1/login            | /v1/login
          /%76%31/login                     | /v1/login            | /v1/login
          /v1/./login                       | /v1/login            | /v1/login
          /./v1/login                       | /v1/login            | /v1/login
          /v1/login/.                       | /v1/login            | /v1/login/
          /v1/x/../login                    | /v1/login            | /v1/login
          /v1/x/%2e%2e/login                | /v1/login            | /v1/login
          /v1/x/.%2E/login                  | /v1/login            | /v1/login
          /v1/x/%2e./login                  | /v1/login            | /v1/login
          /v1/%2e/login                     | /v1/login            | /v1/login
          /a/b/c/../../../v1/login          | /v1/login            | /v1/login
          /v1/login/x/..                    | /v1/login            | /v1/login/
          /v1/..                            | /                    | /
          /v1/login;a=b                     | /v1/login            | /v1/login;a=b
          /v1;jsessionid=1/login;x;y=z      | /v1/login            | /v1;jsessionid=1/login;x;y=z
          /v1/login;                        | /v1/login            | /v1/login;
          /v1/x;y/../login                  | /v1/login            | /v1/login
          /v1/login;a=%41%2c                | /v1/login            | /v1/login;a=A%2C
          /v1/login/;x?                     | -                    | -
          /v1/lo%3Agin                      | /v1/lo:gin           | /v1/lo%3Agin
          /v1/lo:gin                        | /v1/lo:gin           | /v1/lo:gin
          /v1/%21%24%26%27%28%29%2a%2b%2C%3d%40 | /v1/!$&'()*+,=@  | /v1/%21%24%26%27%28%29%2A%2B%2C%3D%40
          /v1/a%3bb                         | /v1/a%3Bb            | /v1/a%3Bb
          /v1/a%20b                         | /v1/a%20b            | /v1/a%20b
          /v1/100%25                        | /v1/100%25           | /v1/100%25
          /v1/100%25x                       | /v1/100%25x          | /v1/100%25x
          /v1/a%3fb%23c                     | /v1/a%3Fb%23c        | /v1/a%3Fb%23c
          /v1/caf%c3%a9                     | /v1/caf%C3%A9        | /v1/caf%C3%A9
          /v1/%e2%82%ac                     | /v1/%E2%82%AC        | /v1/%E2%82%AC
          /v1/%f0%9f%98%80                  | /v1/%F0%9F%98%80     | /v1/%F0%9F%98%80
          /v1/a|b                           | /v1/a%7Cb            | /v1/a%7Cb
          /v1/a%7cb                         | /v1/a%7Cb            | /v1/a%7Cb
          /v1/{id}[0]^`"<>                  | /v1/%7Bid%7D%5B0%5D%5E%60%22%3C%3E | /v1/%7Bid%7D%5B0%5D%5E%60%22%3C%3E
          /.well-known/x                    | /.well-known/x       | /.well-known/x
          /v1/...                           | /v1/...              | /v1/...
          /v1/..a/b..                       | /v1/..a/b..          | /v1/..a/b..
          /V1/Login                         | /V1/Login            | /V1/Login
          """)
  void path_isNormalized(String sent, String matched, String forwarded) {
    if (matched.equals("-")) {
      assertThatThrownBy(() -> endpoints.normalize("GET", sent))
          .isInstanceOf(BadRequestException.class);
      return;
    }
    RequestEndpoint endpoint = endpoints.normalize("GET", sent);
    assertThat(endpoint.path()).isEqualTo(matched);
    assertThat(endpoint.target()).isEqualTo(forwarded);
    assertThat(endpoint.name()).isEqualTo("GET " + matched);
    RequestEndpoint again = endpoints.normalize("GET", forwarded);
    assertThat(again).as("forwarded path is normalized to the same endpoint").isEqualTo(endpoint);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1%2flogin",
        "/v1%2Flogin",
        "/v1%5clogin",
        "/v1%5Clogin",
        "/v1\\login",
        "/v1/login\\",
        "/v1/login%00",
        "/v1/login%00.png",
        "/v1/login%0d%0a",
        "/v1/%1f",
        "/v1/%7f",
        "/v1/%c2%85",
        "/v1/\u0000",
        "/v1/a\tb",
        "/v1/a b",
        "/v1/a\r\nX: y",
        "/v1/\u007f",
        "/v1/caf\u00e9",
        "/v1/\u212a",
        "/v1/\ud83d\ude00",
        "/v1/%",
        "/v1/%6",
        "/v1/%zz",
        "/v1/%6g",
        "/v1/%u006c",
        "/v1/%-1",
        "/v1/%c0%af",
        "/v1/%c0%ae%c0%ae/x",
        "/v1/%e0%80%af",
        "/v1/%f0%80%80%af",
        "/v1/%ed%a0%80",
        "/v1/%f5%80%80%80",
        "/v1/%f4%90%80%80",
        "/v1/%ff",
        "/v1/%80",
        "/v1/%c3",
        "/v1/%c3/x",
        "/v1/%c3%28",
        "/v1/%e2%82",
        "/v1/%e9",
        "/v1/%252e",
        "/v1/%252flogin",
        "/v1/%25%32%66login",
        "/v1/%25%32f",
        "/v1/%2525",
        "/..",
        "/../",
        "/v1/../..",
        "/../etc",
        "/%2e%2e/",
        "/v1/..;/login",
        "/v1/..;a=b/login",
        "/v1/.;/login",
        "/v1/%2e%2e;x/login",
        "/;/login",
        "/v1/;a=b/login",
        "/v1/;",
        "/v1//../login",
        "/v1/../x//y",
        "//..",
        "/v1#login",
        "/v1/login#",
        "/v1/login?a#b",
        "/v1/login?a b",
        "/v1/login?a\r\nb",
        "/v1/login?\u00e9",
        "",
        "v1/login",
        "login",
        "x",
        "?",
        "*",
        ":",
        "://",
        "http:/v1",
        "ftp://a/v1",
        "javascript://a/",
        "http:\\\\a\\v1",
        "/v1/%2",
        "/v1/;%2f",
        "/v1/a;%5c",
        "/v1/a;%",
        "/v1/a;\\"
      })
  void ambiguousTarget_isRejected(String sent) {
    assertThatThrownBy(() -> endpoints.normalize("GET", sent))
        .isInstanceOf(BadRequestException.class)
        .message()
        .doesNotContain("login");
  }

  @Test
  void tooLongTarget_isRejected() {
    String longest = "/" + "a".repeat(EndpointNormalizer.MAX_TARGET_LENGTH - 1);
    assertThat(endpoints.normalize("GET", longest).path()).isEqualTo(longest);
    assertThatThrownBy(() -> endpoints.normalize("GET", longest + "a"))
        .isInstanceOf(BadRequestException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, GET",
    "get, GET",
    "PoSt, POST",
    "M-SEARCH, M-SEARCH",
    "x!#$%&'*+.^_`|~9, X!#$%&'*+.^_`|~9"
  })
  void method_isUpperCased(String sent, String method) {
    assertThat(endpoints.normalize(sent, "/v1").name()).isEqualTo(method + " /v1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "GET ", "GE T", "G\u00cbT", "GET\r\n", "GET/", "GET:", "\u0131", "(GET)"})
  void methodThatIsNotToken_isRejected(String sent) {
    assertThatThrownBy(() -> endpoints.normalize(sent, "/v1"))
        .isInstanceOf(BadRequestException.class);
    assertThatThrownBy(() -> endpoints.normalize("A".repeat(33), "/v1"))
        .isInstanceOf(BadRequestException.class);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "/v1/login, -, /v1/login, /v1/login",
        "http://example.com/v1//login?a=b, example.com, /v1/login, /v1/login?a=b",
        "HTTPS://Example.com:8443/v1/%6cogin, Example.com:8443, /v1/login, /v1/login",
        "http://example.com, example.com, /, /",
        "http://example.com?a=b, example.com, /, /?a=b",
        "http://[2001:db8::1]:80/v1, [2001:db8::1]:80, /v1, /v1",
      })
  void absoluteUri_providesAuthority(
      String sent, String authority, String matched, String forwarded) {
    assertThat(endpoints.normalize("GET", sent))
        .isEqualTo(new RequestEndpoint("GET", matched, forwarded, authority));
  }

  @Test
  void asteriskTarget_isAcceptedForOptionsOnly() {
    assertThat(endpoints.normalize("options", "*").name()).isEqualTo("OPTIONS *");
    assertThatThrownBy(() -> endpoints.normalize("CONNECT", "example.com:443"))
        .isInstanceOf(BadRequestException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "/V1/Login, /v1/login",
    "/V1//%4Cogin/, /v1/login",
    "/CAF%C3%89, /caf%C3%A9",
    "/caf%c3%a9, /caf%C3%A9",
    "/%e2%84%aa, /k",
    "/v1/Login;X=Y, /v1/login"
  })
  void ignoreCase_matchesLowerCasedPath(String sent, String matched) {
    RequestEndpoint endpoint =
        new EndpointNormalizer(PathOption.IGNORE_CASE).normalize("GET", sent);
    assertThat(endpoint.path()).isEqualTo(matched);
    assertThat(endpoint.target())
        .as("the upstream gets the original case")
        .doesNotContain("login;x");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/login, /v1/login",
    "/v1/login/, /v1/login/",
    "/v1/login//, /v1/login/",
    "/v1/login/., /v1/login/",
    "/, /"
  })
  void keepTrailingSlash_keepsIt(String sent, String matched) {
    EndpointNormalizer strict = new EndpointNormalizer(PathOption.KEEP_TRAILING_SLASH);
    assertThat(strict.normalize("GET", sent).path()).isEqualTo(matched);
  }

  @Test
  void webSocketMessage_hasItsOwnEndpoint() {
    assertThat(endpoints.normalize("GET", "/chat").withMethod("WS").name()).isEqualTo("WS /chat");
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST /v1/login", "* /v1/login", "POST /v1/**", "POST /*/login"})
  void allSpellingsOfPath_shareOneLimit(String pattern) {
    Rule login = Rule.named("login").match("endpoint", pattern).limit("5/day").build();
    Limiter limiter = Weir.inMemory(login);
    int admitted = 0;
    for (String spelling :
        List.of(
            "/v1/login",
            "//v1/login",
            "/v1/%6cogin",
            "/v1/login;a=b",
            "/x/../v1/login",
            "/v1/./login",
            "/v1/login/",
            "/v1;x/login?y",
            "/%76%31/login",
            "/v1//login",
            "/./v1/login//",
            "/v1/login;")) {
      RequestEndpoint endpoint = endpoints.normalize("post", spelling);
      admitted += limiter.decideNow(Request.of("endpoint", endpoint.name())).allowed() ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(5);
  }

  @Test
  void canonicalPath_isNotCopied() {
    String sent = "/v1/orders/7";
    RequestEndpoint endpoint = endpoints.normalize("GET", sent);
    assertThat(endpoint.path()).isSameAs(sent);
    assertThat(endpoint.target()).isSameAs(sent);
  }
}
