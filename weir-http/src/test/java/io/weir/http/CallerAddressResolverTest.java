package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.testkit.RandomHistory;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests which address a request is counted by. Proxies in 10/8 and fd00::/8 are trusted. */
class CallerAddressResolverTest {
  private static final List<IpNetwork> TRUSTED =
      Stream.of("10.0.0.0/8", "fd00::/8", "192.0.2.7").map(IpNetwork::parse).toList();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          # peer        | X-Forwarded-For                    | caller
          203.0.113.9   | 1.2.3.4                            | 203.0.113.9
          203.0.113.9   | 10.0.0.1, 10.0.0.2                 | 203.0.113.9
          203.0.113.9   | unknown                            | 203.0.113.9
          192.0.2.8     | 1.2.3.4                            | 192.0.2.8
          192.0.2.7     | 1.2.3.4                            | 1.2.3.4
          10.0.0.1      | 1.2.3.4                            | 1.2.3.4
          10.0.0.1      | 9.9.9.9, 1.2.3.4                   | 1.2.3.4
          10.0.0.1      | 1.2.3.4, 10.0.0.2                  | 1.2.3.4
          10.0.0.1      | 9.9.9.9, 1.2.3.4, 10.0.0.3, 10.0.0.2 | 1.2.3.4
          10.0.0.1      | 10.0.0.9, 10.0.0.8                 | 10.0.0.9
          10.0.0.1      | 10.0.0.9, 1.2.3.4, 10.0.0.8        | 1.2.3.4
          10.0.0.1      | 1.2.3.4:5678                       | 1.2.3.4
          10.0.0.1      | 2001:db8::1                        | 2001:db8::1
          10.0.0.1      | [2001:db8::1]                      | 2001:db8::1
          10.0.0.1      | [2001:db8::1]:4711                 | 2001:db8::1
          10.0.0.1      | ::ffff:1.2.3.4                     | 1.2.3.4
          10.0.0.1      | [::ffff:1.2.3.4]:80                | 1.2.3.4
          ::ffff:10.0.0.1 | 1.2.3.4                          | 1.2.3.4
          fd00::1       | 1.2.3.4, fd00::2                   | 1.2.3.4
          10.0.0.1      | 1.2.3.4,10.0.0.2                   | 1.2.3.4
          10.0.0.1      | 1.2.3.4 , 10.0.0.2                 | 1.2.3.4
          10.0.0.1      | 1.2.3.4, , ,10.0.0.2,              | 1.2.3.4
          10.0.0.1      | ,,,                                | 10.0.0.1
          10.0.0.1      | §§                                 | 10.0.0.1
          10.0.0.1      | unknown                            | 10.0.0.1
          10.0.0.1      | 1.2.3.4, unknown                   | 10.0.0.1
          10.0.0.1      | 1.2.3.4, unknown, 10.0.0.2         | 10.0.0.2
          10.0.0.1      | 1.2.3.4, 127.1, 10.0.0.2           | 10.0.0.2
          10.0.0.1      | example.com                        | 10.0.0.1
          10.0.0.1      | 1.2.3.4.5                          | 10.0.0.1
          10.0.0.1      | 1.2.3.4:                           | 10.0.0.1
          10.0.0.1      | 1.2.3.4:x                          | 10.0.0.1
          10.0.0.1      | 1.2.3.4:123456                     | 10.0.0.1
          10.0.0.1      | 1.2.3.4 5.6.7.8                    | 10.0.0.1
          10.0.0.1      | [1.2.3.4]                          | 10.0.0.1
          10.0.0.1      | [2001:db8::1                       | 10.0.0.1
          10.0.0.1      | [2001:db8::1]x                     | 10.0.0.1
          10.0.0.1      | []                                 | 10.0.0.1
          10.0.0.1      | fe80::1%eth0                       | 10.0.0.1
          10.0.0.1      | for=1.2.3.4                        | 10.0.0.1
          10.0.0.1      | "1.2.3.4"                          | 10.0.0.1
          10.0.0.1      | ", 1.2.3.4                         | 1.2.3.4
          """)
  void xForwardedFor_resolvesToFirstUntrustedAddress(String peer, String field, String caller) {
    assertThat(find(ForwardingHeader.X_FORWARDED_FOR, peer, "x-forwarded-for", field))
        .hasToString(caller);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          # peer      | Forwarded                                              | caller
          203.0.113.9 | for=1.2.3.4                                            | 203.0.113.9
          10.0.0.1    | for=192.0.2.43                                         | 192.0.2.43
          10.0.0.1    | For="[2001:db8:cafe::17]:4711"                         | 2001:db8:cafe::17
          10.0.0.1    | for=192.0.2.60;proto=http;by=203.0.113.43              | 192.0.2.60
          10.0.0.1    | for=192.0.2.43, for=198.51.100.17                      | 198.51.100.17
          10.0.0.1    | for=192.0.2.43, for="[fd00::17]"                       | 192.0.2.43
          10.0.0.1    | for=192.0.2.43,for="[fd00::17]",for=10.0.0.3           | 192.0.2.43
          10.0.0.1    | proto=http;FOR="192.0.2.43:47011";host=a               | 192.0.2.43
          10.0.0.1    | proto=http ; for=192.0.2.43 ; host=a                   | 192.0.2.43
          10.0.0.1    | for="192.0.2.43:_gazonk"                               | 192.0.2.43
          10.0.0.1    | for=192.0.2.43;host="a,b;for=9.9.9.9"                  | 192.0.2.43
          10.0.0.1    | for=192.0.2.43;host="a\\",for=9.9.9.9,\\""             | 192.0.2.43
          10.0.0.1    | for="_gazonk"                                          | 10.0.0.1
          10.0.0.1    | for=_hidden, for=_SEVKISEK                             | 10.0.0.1
          10.0.0.1    | for=unknown                                            | 10.0.0.1
          10.0.0.1    | for=9.9.9.9, for=unknown, for=10.0.0.2                 | 10.0.0.2
          10.0.0.1    | for=9.9.9.9, proto=http, for=10.0.0.2                  | 10.0.0.2
          10.0.0.1    | for=9.9.9.9;for=8.8.8.8                                | 10.0.0.1
          10.0.0.1    | for=2001:db8::1                                        | 10.0.0.1
          10.0.0.1    | for="2001:db8::1"                                      | 10.0.0.1
          10.0.0.1    | for=[2001:db8::1]                                      | 2001:db8::1
          10.0.0.1    | for=                                                   | 10.0.0.1
          10.0.0.1    | for=""                                                 | 10.0.0.1
          10.0.0.1    | for="                                                  | 10.0.0.1
          10.0.0.1    | for="1.2.3.4                                           | 10.0.0.1
          10.0.0.1    | for="1.2.3\\.4"                                        | 10.0.0.1
          10.0.0.1    | 1.2.3.4                                                | 10.0.0.1
          10.0.0.1    | for="x, for=1.2.3.4                                    | 1.2.3.4
          10.0.0.1    | for="x, for="[2001:db8::1]:80";by="[fd00::1]"          | 2001:db8::1
          10.0.0.1    | xfor=9.9.9.9                                           | 10.0.0.1
          """)
  void forwarded_resolvesToFirstUntrustedAddress(String peer, String field, String caller) {
    assertThat(find(ForwardingHeader.FORWARDED, peer, "Forwarded", field)).hasToString(caller);
  }

  @Test
  void severalHeaderLines_areReadAsOneList() {
    assertThat(
            find(
                ForwardingHeader.X_FORWARDED_FOR,
                "10.0.0.1",
                "X-Forwarded-For",
                "9.9.9.9, 1.2.3.4",
                "X-Forwarded-For",
                "10.0.0.3, 10.0.0.2"))
        .hasToString("1.2.3.4");
  }

  @Test
  void otherForwardingHeader_isIgnored() {
    String[] both = {"X-Forwarded-For", "1.1.1.1", "Forwarded", "for=2.2.2.2"};
    assertThat(find(ForwardingHeader.X_FORWARDED_FOR, "10.0.0.1", both)).hasToString("1.1.1.1");
    assertThat(find(ForwardingHeader.FORWARDED, "10.0.0.1", both)).hasToString("2.2.2.2");
    assertThat(find(ForwardingHeader.FORWARDED, "10.0.0.1", "X-Forwarded-For", "1.1.1.1"))
        .hasToString("10.0.0.1");
  }

  @Test
  void tooManyHopsOrTooLongLine_stopsReading() {
    String hops = "1.2.3.4" + ", 10.0.0.2".repeat(500);
    assertThat(find(ForwardingHeader.X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-For", hops))
        .hasToString("10.0.0.2");
    String blank = "1.2.3.4" + ",".repeat(10_000);
    assertThat(find(ForwardingHeader.X_FORWARDED_FOR, "10.0.0.1", "X-Forwarded-For", blank))
        .hasToString("10.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({
    "1.2.3.4, 64, 1.2.3.4",
    "::ffff:1.2.3.4, 64, 1.2.3.4",
    "2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64",
    "2001:db8:1:2:ffff::, 64, 2001:db8:1:2::/64",
    "2001:db8:1:3::, 64, 2001:db8:1:3::/64",
    "2001:db8:1:2:3:4:5:6, 56, 2001:db8:1::/56",
    "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
    "::1, 64, ::/64"
  })
  void ipv6Prefix_isOneCaller(String address, int bits, String key) {
    CallerAddressResolver callers =
        new CallerAddressResolver(List.of(), ForwardingHeader.X_FORWARDED_FOR, bits);
    assertThat(callers.toAttribute(address(address))).isEqualTo(key);
  }

  @Test
  void tooShortPrefix_isRejected() {
    assertThatThrownBy(() -> new CallerAddressResolver(List.of(), ForwardingHeader.FORWARDED, 15))
        .hasMessage("IPv6 prefix length must be between 16 and 128 (was 15), for example 64");
  }

  /** Whatever a caller sends, the element that the trusted proxy appended decides. */
  @ParameterizedTest
  @EnumSource(ForwardingHeader.class)
  void randomForwardingHeader_neverChangesResolvedAddress(ForwardingHeader by) {
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    String pieces = "for=\"[]():;, \\_.0123456789abcdefx\t%";
    String trusted =
        by == ForwardingHeader.FORWARDED ? "for=1.2.3.4, for=10.0.0.3" : "1.2.3.4,10.0.0.3";
    for (int step = 0; step < RandomHistory.steps() / 10; step++) {
      StringBuilder sent = new StringBuilder();
      for (int i = random.nextInt(40); i > 0; i--) {
        sent.append(
            random.nextInt(6) == 0
                ? List.of("for=9.9.9.9", "10.0.0.5", "\"[::1]\"").get(random.nextInt(3))
                : pieces.charAt(random.nextInt(pieces.length())));
      }
      assertThat(find(by, "10.0.0.1", by.fieldName(), sent + ", " + trusted))
          .as("-Dweir.seed=%d: %s", seed, sent)
          .hasToString("1.2.3.4");
      assertThat(find(by, "203.0.113.9", by.fieldName(), sent.toString()))
          .as("-Dweir.seed=%d: %s", seed, sent)
          .hasToString("203.0.113.9");
      assertThat(find(by, "10.0.0.1", by.fieldName(), sent.toString())).isNotNull();
    }
  }

  private static IpAddress find(ForwardingHeader by, String peer, String... fields) {
    return new CallerAddressResolver(TRUSTED, by, CallerAddressResolver.DEFAULT_V6_BITS)
        .resolve(address(peer), TestRequestHeaders.of(fields));
  }

  private static IpAddress address(String text) {
    return Objects.requireNonNull(IpAddress.parse(text), text);
  }
}
