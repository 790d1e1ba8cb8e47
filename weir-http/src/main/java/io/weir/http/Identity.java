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
public final class Identity {
  private static final String BEARER = "Bearer ";
  private static final int LONGEST_HEADER = 8192;

  private final Endpoints endpoints;
  private final CallerAddress addresses;
  private final IdentityBuilder spec;
  private final String challenge;

  Identity(IdentityBuilder spec) {
    this.spec = spec;
    this.endpoints = spec.endpoints;
    this.addresses = new CallerAddress(spec.trusted, spec.forwardedBy, spec.v6Bits);
    this.challenge = spec.tokens != null ? "Bearer" : "ApiKey header=\"" + spec.keyHeader + "\"";
  }

  /** Begins one that believes the socket's address and nothing else. */
  public static IdentityBuilder builder() {
    return new IdentityBuilder();
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
  public Call read(IpAddress peer, String method, String target, Headers headers) {
    return read(peer, method, target, headers, (ip, attributes) -> {});
  }

  /** As above, of a request whose door knows more of it. */
  public Call read(IpAddress peer, String method, String target, Headers headers, More more) {
    Endpoint endpoint = endpoints.read(method, target);
    String host = Host.of(endpoint, headers);
    IpAddress address = addresses.find(peer, headers);
    Caller caller = caller(headers);
    Pairs pairs = new Pairs(10 + spec.headers.size());
    String ip = addresses.key(address);
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
    more.tell(ip, pairs::addIfNew);
    boolean unauthorized = spec.required && caller == null;
    return new Call(endpoint, address, caller, pairs.request(), unauthorized);
  }

  /**
   * Whether a socket's address is a trusted proxy's: what it says of where a request comes from may
   * be passed on, what others say must be replaced.
   */
  public boolean trusts(IpAddress peer) {
    return addresses.isTrusted(peer);
  }

  /** The field in which trusted proxies say it. */
  public ForwardedBy forwardedBy() {
    return spec.forwardedBy;
  }

  /** The {@code WWW-Authenticate} of a 401. */
  public String challenge() {
    return challenge;
  }

  /** Who calls: by its API key, or else by its token. */
  private @Nullable Caller caller(Headers headers) {
    Optional<Caller> found = Optional.empty();
    Credentials keys = spec.keys;
    if (keys != null) {
      String secret = headers.single(spec.keyHeader);
      found = secret == null ? found : keys.verify(secret);
    }
    Credentials tokens = spec.tokens;
    if (tokens != null && found.isEmpty()) {
      String token = bearer(headers.single("Authorization"));
      found = token == null ? found : tokens.verify(token);
    }
    return found.orElse(null);
  }

  private static @Nullable String bearer(@Nullable String authorization) {
    return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : null;
  }

  private void addHeaders(Pairs pairs, Headers headers) {
    for (IdentityBuilder.Header header : spec.headers) {
      String value = headers.joined(header.field());
      if (value != null && value.length() > LONGEST_HEADER) {
        throw new BadRequestException("a header field is longer than " + LONGEST_HEADER);
      }
      pairs.add(header.attribute(), value == null ? "" : value);
    }
  }

  /** What else a door knows of a request, such as whom its framework has authenticated. */
  @FunctionalInterface
  public interface More {

    /**
     * Says it.
     *
     * @param ip the attribute of that name
     * @param attributes takes names and values; what is empty, or there already, is left out
     */
    void tell(String ip, BiConsumer<String, String> attributes);
  }

  /** The attributes so far; what is empty is left out. */
  private static final class Pairs {
    private final List<String> pairs;

    Pairs(int expected) {
      pairs = new ArrayList<>(2 * expected);
    }

    void add(String name, String value) {
      if (!value.isEmpty()) {
        pairs.add(name);
        pairs.add(value);
      }
    }

    void addIfNew(String name, String value) {
      for (int i = 0; i < pairs.size(); i += 2) {
        if (pairs.get(i).equals(name)) {
          return;
        }
      }
      add(name, value);
    }

    Request request() {
      return Request.of(pairs.toArray(new String[0]));
    }
  }
}
