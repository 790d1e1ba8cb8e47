package io.weir.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.web.ResponseWriter;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that an upstream could parse differently than the gateway (request smuggling).
 * Such a request is answered with 400 and its connection is closed, since its end is ambiguous.
 * Pipelined requests after it are ignored, even if they were read already. Used on one event loop.
 */
final class RequestSmugglingFilter {
  private static final int BAD_REQUEST = 400;
  private static final int MAX_LENGTH_DIGITS = 18;

  private final Set<HttpConnection> rejectedConnections =
      Collections.newSetFromMap(new WeakHashMap<>());

  /** Whether an earlier request on the same connection was rejected. */
  boolean isConnectionRejected(HttpServerRequest http) {
    return !rejectedConnections.isEmpty() && rejectedConnections.contains(http.connection());
  }

  /** Answers an ambiguous request with 400 and closes its connection. */
  void reject(HttpServerRequest http, String reason) {
    if (http.version() != HttpVersion.HTTP_2) {
      rejectedConnections.add(http.connection());
      http.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    ResponseWriter.writeError(http, BAD_REQUEST, "bad_request", reason);
    if (http.version() != HttpVersion.HTTP_2) {
      http.connection().close();
    }
  }

  /** Returns the problem of a request; null if it is valid. */
  static @Nullable String findProblem(HttpServerRequest http) {
    MultiMap fields = http.headers();
    boolean isHttp2 = http.version() == HttpVersion.HTTP_2;
    List<String> lengths = fields.getAll(HttpHeaders.CONTENT_LENGTH);
    if (!lengths.isEmpty() && (lengths.size() > 1 || !isLength(lengths.get(0)))) {
      return "Content-Length is invalid or occurs twice";
    }
    List<String> codings = fields.getAll(HttpHeaders.TRANSFER_ENCODING);
    if (!codings.isEmpty()) {
      boolean isChunked = codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
      if (!isChunked || isHttp2 || !lengths.isEmpty()) {
        return "Transfer-Encoding must be chunked only, without Content-Length";
      }
    }
    if (http.version() == HttpVersion.HTTP_1_1 && !fields.contains(HttpHeaders.HOST)) {
      return "the Host field is missing";
    }
    if (HopByHopHeaders.hasTooManyConnectionOptions(fields)) {
      return "the Connection field has more than "
          + HopByHopHeaders.MAX_CONNECTION_OPTIONS
          + " options";
    }
    for (var field : fields) {
      if (!isToken(field.getKey()) || !isText(field.getValue())) {
        return "a header field has invalid characters";
      }
    }
    return null;
  }

  private static boolean isLength(String text) {
    if (text.isEmpty() || text.length() > MAX_LENGTH_DIGITS) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return true;
  }

  private static boolean isToken(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!letter && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static boolean isText(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f || c > 0xff) {
        return false;
      }
    }
    return true;
  }
}
