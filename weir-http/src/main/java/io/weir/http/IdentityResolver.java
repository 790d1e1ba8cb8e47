package io.weir.http;

import io.weir.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the endpoint and the caller of a request into the attributes that rules match.
 * Unverified identities are ignored: such a request is counted by its address only.
 *
 * <p>Created by {@link #builder}. Thread-safe and non-blocking.
 */
public final class IdentityResolver {
  private static final String BEARER_PREFIX = "Bearer ";
  private static final int MAX_HEADER_LENGTH = 8192;

  private final EndpointNormalizer endpointNormalizer;
  private final CallerAddressResolver addressResolver;
  private final IdentityResolverBuilder settings;
  private final String challenge;

  IdentityResolver(IdentityResolverBuilder settings) {
    this.settings = settings;
    this.endpointNormalizer = settings.endpointNormalizer;
    this.addressResolver =
        new CallerAddressResolver(settings.trustedProxies, settings.forwardedBy, settings.v6Bits);
    this.challenge =
        settings.tokenVerifier != null
            ? "Bearer"
            : "ApiKey header=\"" + settings.apiKeyHeader + "\"";
  }

  /** Returns a builder of a resolver that by default trusts nothing but the socket's address. */
  public static IdentityResolverBuilder builder() {
    return new IdentityResolverBuilder();
  }

  /**
   * Resolves a request.
   *
   * @param peer the address of the socket
   * @param method as it was sent
   * @param target as it was sent, including the query
   * @param headers the header fields; for HTTP/2, {@code :authority} must be passed as {@code Host}
   * @throws BadRequestException if the request is invalid or ambiguous; answer 400
   */
  public IdentifiedRequest resolve(
      IpAddress peer, String method, String target, RequestHeaders headers) {
    return resolve(peer, method, target, headers, (ip, attributes) -> {});
  }

  /** Resolves a request with additional attributes, such as those known to its framework. */
  public IdentifiedRequest resolve(
      IpAddress peer,
      String method,
      String target,
      RequestHeaders headers,
      AttributeContributor contributor) {
    RequestEndpoint endpoint = endpointNormalizer.normalize(method, target);
    String host = HostNormalizer.hostOf(endpoint, headers);
    IpAddress address = addressResolver.resolve(peer, headers);
    VerifiedCaller caller = verifyCaller(headers);
    AttributePairs pairs = new AttributePairs(10 + settings.headers.size());
    String ip = addressResolver.toAttribute(address);
    pairs.add("ip", ip);
    if (caller != null) {
      pairs.add("user", caller.user());
      pairs.add("api_key", caller.apiKey());
      pairs.add("tier", caller.tier());
    }
    pairs.add("endpoint", endpoint.name());
    pairs.add("method", endpoint.method());
    pairs.add("path", endpoint.path());
    pairs.add("host", host == null ? "" : host);
    addHeaders(pairs, headers);
    contributor.contribute(ip, pairs::addIfAbsent);
    boolean unauthorized = settings.required && caller == null;
    return new IdentifiedRequest(endpoint, address, caller, pairs.toRequest(), unauthorized);
  }

  /**
   * Returns whether a socket's address belongs to a trusted proxy. Forwarding headers of trusted
   * proxies may be passed on; those of others must be replaced.
   */
  public boolean isTrustedProxy(IpAddress peer) {
    return addressResolver.isTrusted(peer);
  }

  /** Returns the header in which trusted proxies pass on the caller's address. */
  public ForwardingHeader forwardingHeader() {
    return settings.forwardedBy;
  }

  /** Returns the {@code WWW-Authenticate} value of a 401 response. */
  public String challenge() {
    return challenge;
  }

  /** Returns the caller identified by its API key, or else by its bearer token. */
  private @Nullable VerifiedCaller verifyCaller(RequestHeaders headers) {
    Optional<VerifiedCaller> found = Optional.empty();
    CredentialVerifier keys = settings.apiKeyVerifier;
    if (keys != null) {
      String secret = headers.single(settings.apiKeyHeader);
      found = secret == null ? found : keys.verify(secret);
    }
    CredentialVerifier tokens = settings.tokenVerifier;
    if (tokens != null && found.isEmpty()) {
      String token = bearerToken(headers.single("Authorization"));
      found = token == null ? found : tokens.verify(token);
    }
    return found.orElse(null);
  }

  private static @Nullable String bearerToken(@Nullable String authorization) {
    return authorization != null
            && authorization.regionMatches(true, 0, BEARER_PREFIX, 0, BEARER_PREFIX.length())
        ? authorization.substring(BEARER_PREFIX.length()).strip()
        : null;
  }

  private void addHeaders(AttributePairs pairs, RequestHeaders headers) {
    for (IdentityResolverBuilder.HeaderAttribute header : settings.headers) {
      String value = headers.joined(header.field());
      if (value != null && value.length() > MAX_HEADER_LENGTH) {
        throw new BadRequestException(
            "a header field is longer than " + MAX_HEADER_LENGTH + " characters");
      }
      pairs.add(header.attribute(), value == null ? "" : value);
    }
  }

  /** Adds attributes to a request, such as the user that a framework has authenticated. */
  @FunctionalInterface
  public interface AttributeContributor {

    /**
     * Adds the attributes.
     *
     * @param ip the attribute of that name
     * @param attributes takes names and values; empty values and existing names are ignored
     */
    void contribute(String ip, BiConsumer<String, String> attributes);
  }

  /** Collects attributes; empty values are omitted. */
  private static final class AttributePairs {
    private final List<String> pairs;

    AttributePairs(int expected) {
      pairs = new ArrayList<>(2 * expected);
    }

    void add(String name, String value) {
      if (!value.isEmpty()) {
        pairs.add(name);
        pairs.add(value);
      }
    }

    void addIfAbsent(String name, String value) {
      for (int i = 0; i < pairs.size(); i += 2) {
        if (pairs.get(i).equals(name)) {
          return;
        }
      }
      add(name, value);
    }

    Request toRequest() {
      return Request.of(pairs.toArray(new String[0]));
    }
  }
}
