package io.weir.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How patterns of addresses, endpoints, methods and headers match. */
class SelectorMatchTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ip | 127.0.0.0/8 | 127.0.0.1 | true
          ip | 127.0.0.0/8 | 128.0.0.1 | false
          ip | 10.1.2.3/8 | 10.200.0.1 | true
          ip | 10.0.0.1 | 10.0.0.1 | true
          ip | ::ffff:10.0.0.1 | 10.0.0.1 | true
          ip | 10.0.0.1 | ::ffff:10.0.0.1 | true
          ip | 2001:DB8:0:0::/32 | 2001:db8:5::1 | true
          ip | 2001:db8::/32 | 2001:db8:1:2::/64 | true
          ip | 2001:db8::/32 | 2001:db9::/64 | false
          ip | 2001:db8:1:2::1 | 2001:db8:1:2::/64 | false
          ip | 2001:0db8:0000::0001 | 2001:db8::1 | true
          ip | 0.0.0.0/0 | 203.0.113.9 | true
          ip | 0.0.0.0/0 | 2001:db8::1 | false
          ip | ::/0 | 2001:db8::1 | true
          ip | 10.* | 10.7.7.7 | true
          ip | * | a1b2 | true
          ip | 10.0.0.0/33 | 10.0.0.0 | false
          endpoint | /login | POST /login | true
          endpoint | /login | GET /login | true
          endpoint | /login | GET /login/x | false
          endpoint | /login | /login | true
          endpoint | /v1/** | PUT /v1/a/b | true
          endpoint | get /login | GET /login | true
          endpoint | get /login | POST /login | false
          endpoint | Post /a/*/b | POST /a/x/b | true
          endpoint | checkout | checkout | true
          method | get | GET | true
          method | get | POST | false
          header.X-Tenant | a | a | true
          """)
  void pattern_matches(String attribute, String pattern, String value, boolean matches) {
    Request request = Request.of(attribute, value);
    assertThat(Selector.of(attribute, pattern).matches(request)).isEqualTo(matches);
    assertThat(Selector.of(attribute, "!" + pattern).matches(request)).isEqualTo(!matches);
    Rule indexed = Rule.named("a").match(attribute, pattern).limit("1/hour").build();
    assertThat(Weir.inMemory(indexed).decideNow(request).rules()).hasSize(matches ? 1 : 0);
  }

  @Test
  void headerNames_areCaseInsensitiveEverywhere() {
    Rule rule =
        Rule.named("a")
            .match("header.X-Plan", "pro")
            .per("header.X-Tenant")
            .limit("2/hour")
            .overrides(
                new LimitOverride(
                    Selector.of("header.X-TENANT", "acme"), List.of(Rate.parse("1/hour")), 0))
            .build();
    assertThat(rule.per()).containsExactly("header.x-tenant");
    Limiter limiter = Weir.inMemory(rule);
    Request acme = Request.of("header.x-plan", "pro", "header.x-tenant", "acme");
    assertThat(limiter.decideNow(acme).allowed()).isTrue();
    Decision second =
        limiter.decideNow(Request.of("header.X-Plan", "pro", "header.X-Tenant", "acme"));
    assertThat(second.allowed()).as("the same counter, and the override").isFalse();
  }

  @Test
  void networks_matchLikeLinearSearch() {
    Random random = new Random(7);
    List<String> networks = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      networks.add(address(random) + "/" + (26 + random.nextInt(7)));
    }
    Selector all = Selector.of("ip", networks.toArray(new String[0]));
    int matched = 0;
    for (int i = 0; i < 2_000; i++) {
      Request request = Request.of("ip", address(random));
      boolean linear = false;
      for (String network : networks) {
        linear |= contains(network, String.valueOf(request.get("ip")));
      }
      assertThat(all.matches(request)).as(request.toString()).isEqualTo(linear);
      matched += linear ? 1 : 0;
    }
    assertThat(matched).isBetween(20, 1_980);
  }

  private static String address(Random random) {
    return random.nextInt(4)
        + "."
        + random.nextInt(4)
        + "."
        + random.nextInt(4)
        + "."
        + random.nextInt(4);
  }

  private static boolean contains(String network, String address) {
    int slash = network.indexOf('/');
    int unused = 32 - Integer.parseInt(network.substring(slash + 1));
    return number(network.substring(0, slash)) >>> unused == number(address) >>> unused;
  }

  private static long number(String address) {
    return Arrays.stream(address.split("\\."))
        .mapToLong(Long::parseLong)
        .reduce(0, (a, b) -> a << 8 | b);
  }
}
