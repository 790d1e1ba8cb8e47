package io.weir.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An {@link Identity} in the making. */
public final class IdentityBuilder {
  private static final int MOST_HEADERS = 32;

  Endpoints endpoints = new Endpoints();
  List<Network> trusted = List.of();
  ForwardedBy forwardedBy = ForwardedBy.X_FORWARDED_FOR;
  int v6Bits = CallerAddress.USUAL_V6_BITS;
  String keyHeader = "X-API-Key";
  @Nullable Credentials keys;
  @Nullable Credentials tokens;
  boolean required;
  List<Header> headers = List.of();

  IdentityBuilder() {}

  private IdentityBuilder(IdentityBuilder other) {
    endpoints = other.endpoints;
    trusted = other.trusted;
    forwardedBy = other.forwardedBy;
    v6Bits = other.v6Bits;
    keyHeader = other.keyHeader;
    keys = other.keys;
    tokens = other.tokens;
    required = other.required;
    headers = other.headers;
  }

  /** A header field and the attribute it becomes. */
  record Header(String field, String attribute) {}

  /** How paths are read. */
  public IdentityBuilder endpoints(Endpoints one) {
    endpoints = one;
    return this;
  }

  /** The proxies whose forwarding field is believed, such as {@code 10.0.0.0/8}. */
  public IdentityBuilder trustedProxies(String... networks) {
    trusted = Arrays.stream(networks).map(Network::parse).toList();
    return this;
  }

  /** The field trusted proxies write; {@code X-Forwarded-For} if not said. */
  public IdentityBuilder forwardedBy(ForwardedBy field) {
    forwardedBy = field;
    return this;
  }

  /** How many leading bits of an IPv6 address make one caller; 64 if not said. */
  public IdentityBuilder v6Bits(int bits) {
    v6Bits = bits;
    return this;
  }

  /** Callers known by a secret in a header field, such as {@code X-API-Key}. */
  public IdentityBuilder apiKeys(String header, Credentials credentials) {
    keyHeader = fieldName(header);
    keys = credentials;
    return this;
  }

  /** Callers known by {@code Authorization: Bearer} and a token. */
  public IdentityBuilder tokens(Credentials credentials) {
    tokens = credentials;
    return this;
  }

  /** Demands a verified caller: {@link Call#unauthorized} is said of all others. */
  public IdentityBuilder required() {
    required = true;
    return this;
  }

  /** Header fields that become attributes: {@code X-Tenant} is {@code header.x-tenant}. */
  public IdentityBuilder headers(String... names) {
    if (names.length > MOST_HEADERS) {
      throw new IllegalArgumentException(
          names.length + " headers as attributes are too many; name at most " + MOST_HEADERS);
    }
    List<Header> listed = new ArrayList<>();
    for (String name : names) {
      Header header = new Header(fieldName(name), "header." + Ascii.lower(name));
      if (listed.stream().anyMatch(h -> h.attribute().equals(header.attribute()))) {
        throw new IllegalArgumentException("header '" + name + "' stands twice; name it once");
      }
      listed.add(header);
    }
    headers = listed;
    return this;
  }

  private static String fieldName(String name) {
    if (name.isEmpty() || !name.chars().allMatch(c -> Ascii.isToken((char) c))) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name of a header field; write one such as X-API-Key");
    }
    return name;
  }

  /**
   * @throws IllegalArgumentException if a caller is demanded and there is no way to verify one
   */
  public Identity build() {
    if (required && keys == null && tokens == null) {
      throw new IllegalArgumentException(
          "identity is required but nothing verifies one; write api-key or jwt");
    }
    return new Identity(new IdentityBuilder(this));
  }
}
