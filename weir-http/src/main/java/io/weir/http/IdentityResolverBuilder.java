package io.weir.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds an {@link IdentityResolver}. */
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

  /** A header field and the attribute that it is mapped to. */
  record HeaderAttribute(String field, String attribute) {}

  /** Sets how paths are normalized. */
  public IdentityResolverBuilder endpoints(EndpointNormalizer normalizer) {
    endpointNormalizer = normalizer;
    return this;
  }

  /** Sets the proxies whose forwarding header is trusted, such as {@code 10.0.0.0/8}. */
  public IdentityResolverBuilder trustedProxies(String... networks) {
    trustedProxies = Arrays.stream(networks).map(IpNetwork::parse).toList();
    return this;
  }

  /** Sets the header that trusted proxies write; {@code X-Forwarded-For} by default. */
  public IdentityResolverBuilder forwardedBy(ForwardingHeader field) {
    forwardedBy = field;
    return this;
  }

  /** Sets the prefix length that identifies an IPv6 caller; 64 by default. */
  public IdentityResolverBuilder v6Bits(int bits) {
    v6Bits = bits;
    return this;
  }

  /** Identifies callers by a secret in a header field, such as {@code X-API-Key}. */
  public IdentityResolverBuilder apiKeys(String header, CredentialVerifier credentials) {
    apiKeyHeader = checkFieldName(header);
    apiKeyVerifier = credentials;
    return this;
  }

  /** Identifies callers by the token in {@code Authorization: Bearer}. */
  public IdentityResolverBuilder tokens(CredentialVerifier credentials) {
    tokenVerifier = credentials;
    return this;
  }

  /**
   * Requires a verified caller; {@link IdentifiedRequest#unauthorized} is true for all other
   * requests.
   */
  public IdentityResolverBuilder required() {
    required = true;
    return this;
  }

  /** Maps header fields to attributes: {@code X-Tenant} becomes {@code header.x-tenant}. */
  public IdentityResolverBuilder headers(String... names) {
    if (names.length > MAX_HEADERS) {
      throw new IllegalArgumentException(
          "at most " + MAX_HEADERS + " headers can be attributes (was " + names.length + ")");
    }
    List<HeaderAttribute> listed = new ArrayList<>();
    for (String name : names) {
      HeaderAttribute header =
          new HeaderAttribute(checkFieldName(name), "header." + Ascii.toLowerCase(name));
      if (listed.stream().anyMatch(h -> h.attribute().equals(header.attribute()))) {
        throw new IllegalArgumentException("header '" + name + "' is listed twice; list it once");
      }
      listed.add(header);
    }
    headers = listed;
    return this;
  }

  private static String checkFieldName(String name) {
    if (name.isEmpty() || !name.chars().allMatch(c -> Ascii.isToken((char) c))) {
      throw new IllegalArgumentException(
          "'" + name + "' is not a valid header field name, for example X-API-Key");
    }
    return name;
  }

  /**
   * @throws IllegalArgumentException if a verified caller is required and no verifier is configured
   */
  public IdentityResolver build() {
    if (required && apiKeyVerifier == null && tokenVerifier == null) {
      throw new IllegalArgumentException(
          "a verified caller is required but neither api-key nor jwt is configured");
    }
    return new IdentityResolver(new IdentityResolverBuilder(this));
  }
}
