package io.weir.http;

import io.weir.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads requests: what is called, and by whom as far as that can be verified. What cannot be is not
 * believed: such a request has its address and nothing else to be counted by.
 *
 * <p>Made by {@link #builder}. Safe for any number of threads; never waits.
 */
public final class IdentityResolver {
  private static final String BEARER_PREFIX = "Bearer ";
  private static final int MAX_HEADER_LENGTH = 8192;

  private final EndpointNormalizer endpointNormalizer;
  private final CallerAddressResolver addressResolver;
  private final IdentityResolverBuilder settings;
  private final String challenge;

  IdentityResolver(IdentityResolverBuilder spec) {
    this.settings = spec;
    this.endpointNormalizer = spec.endpointNormalizer;
    this.addressResolver =
        new CallerAddressResolver(spec.trustedProxies, spec.forwardedBy, spec.v6Bits);
    this.challenge =
        spec.tokenVerifier != null ? "Bearer" : "ApiKey header=\"" + spec.apiKeyHeader + "\"";
  }

  /** Begins one that believes the socket's address and nothing else. */
  public static IdentityResolverBuilder builder() {
    return new IdentityResolverBuilder();
  }

  /**
   * Reads a request.
   *
   * @param peer the address of the socket
   * @param method as it was sent
   * @param target as it was sent, with its query
   * @param headers of HTTP/2 with {@code :authority} as {@code Host}
   * @throws BadRequestException if it could be read in more than one way: answer 400
   */
  public IdentifiedRequest resolve(
      IpAddress peer, String method, String target, RequestHeaders headers) {
    return resolve(peer, method, target, headers, (ip, attributes) -> {});
  }

  /** As above, of a request whose door knows more of it. */
  public IdentifiedRequest resolve(
      IpAddress peer,
      String method,
      String target,
      RequestHeaders headers,
      AttributeContributor more) {
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
    more.contribute(ip, pairs::addIfAbsent);
    boolean unauthorized = settings.required && caller == null;
    return new IdentifiedRequest(endpoint, address, caller, pairs.toRequest(), unauthorized);
  }

  /**
   * Whether a socket's address is a trusted proxy's: what it says of where a request comes from may
   * be passed on, what others say must be replaced.
   */
  public boolean isTrustedProxy(IpAddress peer) {
    return addressResolver.isTrusted(peer);
  }

  /** The field in which trusted proxies say it. */
  public ForwardingHeader forwardingHeader() {
    return settings.forwardedBy;
  }

  /** The {@code WWW-Authenticate} of a 401. */
  public String challenge() {
    return challenge;
  }

  /** Who calls: by its API key, or else by its token. */
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
        throw new BadRequestException("a header field is longer than " + MAX_HEADER_LENGTH);
      }
      pairs.add(header.attribute(), value == null ? "" : value);
    }
  }

  /** What else a door knows of a request, such as whom its framework has authenticated. */
  @FunctionalInterface
  public interface AttributeContributor {

    /**
     * Says it.
     *
     * @param ip the attribute of that name
     * @param attributes takes names and values; what is empty, or there already, is left out
     */
    void contribute(String ip, BiConsumer<String, String> attributes);
  }

  /** The attributes so far; what is empty is left out. */
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
