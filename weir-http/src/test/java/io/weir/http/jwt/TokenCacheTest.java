package io.weir.http.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.http.VerifiedCaller;
import io.weir.http.jwt.TokenCache.CachedToken;
import io.weir.http.jwt.TokenCache.TokenDigest;
import org.junit.jupiter.api.Test;

class TokenCacheTest {
  private static final CachedToken KNOWN =
      new CachedToken(new VerifiedCaller("", "42", ""), JwtKeySet.EMPTY, 0);

  @Test
  void manyTokens_cacheStaysBounded() {
    TokenCache cache = new TokenCache(100);
    for (int i = 0; i < 10_000; i++) {
      cache.put(TokenDigest.of("token" + i), KNOWN);
      assertThat(cache.size()).isLessThanOrEqualTo(200);
    }
  }

  @Test
  void usedToken_staysCached() {
    TokenCache cache = new TokenCache(10);
    TokenDigest used = TokenDigest.of("used");
    cache.put(used, KNOWN);
    for (int i = 0; i < 1000; i++) {
      cache.put(TokenDigest.of("other" + i), KNOWN);
      assertThat(cache.get(used)).as("after %d others", i).isNotNull();
    }
    assertThat(cache.get(TokenDigest.of("other0"))).isNull();
  }

  @Test
  void differentTokens_haveDifferentDigests() {
    assertThat(TokenDigest.of("a.b.c"))
        .isEqualTo(TokenDigest.of("a.b.c"))
        .isNotEqualTo(TokenDigest.of("a.b.d"));
  }
}
