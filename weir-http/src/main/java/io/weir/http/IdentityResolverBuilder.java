package io.weir.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An {@link IdentityResolver} in the making. */
public final class IdentityResolverBuilder {
  private static final int MAX_HEADERS = 32;

  EndpointNormalizer endpointNormalizer = new EndpointNormalizer();
  List<IpNetwork> trustedProxies = List.of();
  ForwardingHeader forwardedBy = ForwardingHeader.X_FORWARDED_FOR;
  int v6Bits = CallerAddressResolver.DEFAULT_V6_BITS;
  String apiKeyHeader = "X-API-Key";
  @Nullable CredentialVerifier apiKeyVerifier;
  @Nullable CredentialVerifier tokenVerifier;
  boolean required;
  List<HeaderAttribute> headers = List.of();

  IdentityResolverBuilder() {}

  private IdentityResolverBuilder(IdentityResolverBuilder other) {
    endpointNormalizer = other.endpointNormalizer;
    trustedProxies = other.trustedProxies;
    forwardedBy = other.forwardedBy;
    v6Bits = other.v6Bits;
    apiKeyHeader = other.apiKeyHeader;
    apiKeyVerifier = other.apiKeyVerifier;
    tokenVerifier = other.tokenVerifier;
    required = other.required;
    headers = other.headers;
  }

  /** A header field and the attribute it becomes. */
  record HeaderAttribute(String field, String attribute) {}

  /** How paths are read. */
  public IdentityResolverBuilder endpoints(EndpointNormalizer one) {
    endpointNormalizer = one;
    return this;
  }

  /** The proxies whose forwarding field is believed, such as {@code 10.0.0.0/8}. */
  public IdentityResolverBuilder trustedProxies(String... networks) {
    trustedProxies = Arrays.stream(networks).map(IpNetwork::parse).toList();
    return this;
  }

  /** The field trusted proxies write; {@code X-Forwarded-For} if not said. */
  public IdentityResolverBuilder forwardedBy(ForwardingHeader field) {
    forwardedBy = field;
    return this;
  }

  /** How many leading bits of an IPv6 address make one caller; 64 if not said. */
  public IdentityResolverBuilder v6Bits(int bits) {
    v6Bits = bits;
    return this;
  }

  /** Callers known by a secret in a header field, such as {@code X-API-Key}. */
  public IdentityResolverBuilder apiKeys(String header, CredentialVerifier credentials) {
    apiKeyHeader = checkFieldName(header);
    apiKeyVerifier = credentials;
    return this;
  }

  /** Callers known by {@code Authorization: Bearer} and a token. */
  public IdentityResolverBuilder tokens(CredentialVerifier credentials) {
    tokenVerifier = credentials;
    return this;
  }

  /** Demands a verified caller: {@link IdentifiedRequest#unauthorized} is said of all others. */
  public IdentityResolverBuilder required() {
    required = true;
    return this;
  }

  /** Header fields that become attributes: {@code X-Tenant} is {@code header.x-tenant}. */
  public IdentityResolverBuilder headers(String... names) {
    if (names.length > MAX_HEADERS) {
      throw new IllegalArgumentException(
          names.length + " headers as attributes are too many; name at most " + MAX_HEADERS);
    }
    List<HeaderAttribute> listed = new ArrayList<>();
    for (String name : names) {
      HeaderAttribute header =
          new HeaderAttribute(checkFieldName(name), "header." + Ascii.toLowerCase(name));
      if (listed.stream().anyMatch(h -> h.attribute().equals(header.attribute()))) {
        throw new IllegalArgumentException("header '" + name + "' stands twice; name it once");
      }
      listed.add(header);
    }
    headers = listed;
    return this;
  }

  private static String checkFieldName(String name) {
    if (name.isEmpty() || !name.chars().allMatch(c -> Ascii.isToken((char) c))) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name of a header field; write one such as X-API-Key");
    }
    return name;
  }

  /**
   * @throws IllegalArgumentException if a caller is demanded and there is no way to verify one
   */
  public IdentityResolver build() {
    if (required && apiKeyVerifier == null && tokenVerifier == null) {
      throw new IllegalArgumentException(
          "identity is required but nothing verifies one; write api-key or jwt");
    }
    return new IdentityResolver(new IdentityResolverBuilder(this));
  }
}
