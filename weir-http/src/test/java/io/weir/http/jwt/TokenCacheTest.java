package io.weir.http.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.http.Caller;
import io.weir.http.jwt.TokenCache.Digest;
import io.weir.http.jwt.TokenCache.Known;
import org.junit.jupiter.api.Test;

class TokenCacheTest {
  private static final Known KNOWN = new Known(new Caller("", "42", ""), KeySet.NONE, 0);

  @Test
  void howeverManyTokensComeItStaysSmall() {
    TokenCache cache = new TokenCache(100);
    for (int i = 0; i < 10_000; i++) {
      cache.put(Digest.of("token" + i), KNOWN);
      assertThat(cache.size()).isLessThanOrEqualTo(200);
    }
  }

  @Test
  void whatIsUsedIsKept() {
    TokenCache cache = new TokenCache(10);
    Digest used = Digest.of("used");
    cache.put(used, KNOWN);
    for (int i = 0; i < 1000; i++) {
      cache.put(Digest.of("other" + i), KNOWN);
      assertThat(cache.get(used)).as("after %d others", i).isNotNull();
    }
    assertThat(cache.get(Digest.of("other0"))).isNull();
  }

  @Test
  void differentTokensAreDifferent() {
    assertThat(Digest.of("a.b.c")).isEqualTo(Digest.of("a.b.c")).isNotEqualTo(Digest.of("a.b.d"));
  }
}
