package io.weir.spring;

import io.weir.http.CallerAddressResolver;
import io.weir.http.ForwardingHeader;
import io.weir.http.IdentityResolver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Weir, all optional. The component descriptions are published as configuration
 * metadata.
 *
 * @param mode Whether rules are enforced, only counted (shadow), or off.
 * @param store Where counters are stored: auto, memory, or redis://host:port (also
 *     redis-sentinel:// and redis-cluster://). auto is the Redis of spring.data.redis, or else
 *     memory.
 * @param storeDeadline How long a decision may wait for the store before the rule's fallback
 *     (on-store-failure) applies.
 * @param storePrefix Prefix of all keys in the store, to share one Redis among applications.
 * @param attributes Further attributes for rules, each an expression over the request, such as
 *     principal.claims['tier'].
 * @param identity How the client address is determined.
 */
@ConfigurationProperties("weir")
record WeirProperties(
    @DefaultValue("enforce") WeirMode mode,
    @DefaultValue("auto") String store,
    @DefaultValue("5ms") Duration storeDeadline,
    @DefaultValue("weir") String storePrefix,
    @DefaultValue Map<String, String> attributes,
    @DefaultValue IdentityProperties identity) {

  /**
   * How the client address is determined.
   *
   * @param trustedProxies Proxies whose forwarding header is trusted, such as 10.0.0.0/8.
   * @param forwardedBy The forwarding header that these proxies set.
   * @param v6Bits How many leading bits of an IPv6 address identify one client.
   */
  record IdentityProperties(
      @DefaultValue List<String> trustedProxies,
      @DefaultValue("x-forwarded-for") ForwardingHeader forwardedBy,
      @DefaultValue("" + CallerAddressResolver.DEFAULT_V6_BITS) int v6Bits) {

    /** Returns an identity resolver for rules that use these header fields. */
    IdentityResolver resolverFor(List<String> headers) {
      return IdentityResolver.builder()
          .trustedProxies(trustedProxies.toArray(new String[0]))
          .forwardedBy(forwardedBy)
          .v6Bits(v6Bits)
          .headers(headers.toArray(new String[0]))
          .build();
    }
  }
}
