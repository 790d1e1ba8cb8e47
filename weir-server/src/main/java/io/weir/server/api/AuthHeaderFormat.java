package io.weir.server.api;

import io.vertx.core.MultiMap;
import io.weir.web.InvalidInputException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header fields in which a proxy describes the original request to {@code GET /v1/auth}.
 *
 * <p>A proxy forwards the caller's own fields, so only the format that the proxy itself writes, and
 * therefore replaces, may be read. Otherwise a caller could describe another request than the one
 * that is forwarded.
 */
public enum AuthHeaderFormat {
  /** Either format, whichever is present; a request with fields of both is rejected. */
  AUTO,

  /** {@code X-Original-Method} and {@code X-Original-URI}, as nginx and HAProxy are configured. */
  ORIGINAL,

  /** {@code X-Forwarded-Method} and {@code X-Forwarded-Uri}, which Traefik and Caddy send. */
  FORWARDED;

  private static final HeaderPair X_ORIGINAL =
      new HeaderPair("X-Original-Method", "X-Original-URI");
  private static final HeaderPair X_FORWARDED =
      new HeaderPair("X-Forwarded-Method", "X-Forwarded-Uri");

  /**
   * The request line of the original request.
   *
   * @param method {@code GET} if the proxy did not send one
   */
  record OriginalRequest(String method, String target) {}

  private record HeaderPair(String method, String target) {
    boolean isPresentIn(MultiMap fields) {
      return fields.contains(method) || fields.contains(target);
    }
  }

  /**
   * Reads the fields of a request to {@code GET /v1/auth}.
   *
   * @throws InvalidInputException if there is no description of the original request, or more than
   *     one
   */
  OriginalRequest read(MultiMap fields) throws InvalidInputException {
    HeaderPair pair = headerPair(fields);
    String method = singleValue(fields, pair.method());
    String target = singleValue(fields, pair.target());
    if (target == null) {
      throw new InvalidInputException(
          "the original request is missing; send " + pair.method() + " and " + pair.target());
    }
    return new OriginalRequest(method == null ? "GET" : method, target);
  }

  private HeaderPair headerPair(MultiMap fields) throws InvalidInputException {
    if (this != AUTO) {
      return this == ORIGINAL ? X_ORIGINAL : X_FORWARDED;
    }
    boolean forwarded = X_FORWARDED.isPresentIn(fields);
    if (forwarded && X_ORIGINAL.isPresentIn(fields)) {
      throw new InvalidInputException(
          "both X-Original-* and X-Forwarded-* describe the original request; set auth-form to the"
              + " one your proxy sends, or let the proxy remove the other");
    }
    return forwarded ? X_FORWARDED : X_ORIGINAL;
  }

  private static @Nullable String singleValue(MultiMap fields, String name)
      throws InvalidInputException {
    List<String> values = fields.getAll(name);
    if (values.size() > 1) {
      throw new InvalidInputException(
          name + " occurs twice; the proxy must replace the caller's field");
    }
    return values.isEmpty() ? null : values.get(0);
  }
}
