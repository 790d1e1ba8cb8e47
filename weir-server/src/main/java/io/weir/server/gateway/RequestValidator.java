package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.web.ResponseWriter;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a server behind could read differently than we do. Such a request is answered with 400
 * and its connection closed, for where it ends is anybody's guess: what was sent behind it, and may
 * have been read already, is not looked at. Lives on one event loop.
 */
final class RequestValidator {
  private static final int BAD_REQUEST = 400;
  private static final int MAX_LENGTH_DIGITS = 18;

  private final Set<HttpConnection> rejectedConnections =
      Collections.newSetFromMap(new WeakHashMap<>());

  /** Whether a request came behind one that was refused here. */
  boolean isConnectionRejected(HttpServerRequest http) {
    return !rejectedConnections.isEmpty() && rejectedConnections.contains(http.connection());
  }

  /** Answers what could be read in more than one way. */
  void reject(HttpServerRequest http, String reason) {
    if (http.version() != HttpVersion.HTTP_2) {
      rejectedConnections.add(http.connection());
      http.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      http.response().endHandler(v -> http.connection().close());
    }
    ResponseWriter.writeError(http, BAD_REQUEST, "bad_request", reason);
  }

  /** What is wrong; null if nothing is. */
  static @Nullable String findProblem(HttpServerRequest http) {
    MultiMap fields = http.headers();
    boolean two = http.version() == HttpVersion.HTTP_2;
    List<String> lengths = fields.getAll(HttpHeaders.CONTENT_LENGTH);
    if (!lengths.isEmpty() && (lengths.size() > 1 || !isLength(lengths.get(0)))) {
      return "the length is none, or stands twice";
    }
    List<String> codings = fields.getAll(HttpHeaders.TRANSFER_ENCODING);
    if (!codings.isEmpty()) {
      boolean chunked = codings.size() == 1 && codings.get(0).equalsIgnoreCase("chunked");
      if (!chunked || two || !lengths.isEmpty()) {
        return "the transfer coding is not chunked alone";
      }
    }
    if (http.version() == HttpVersion.HTTP_1_1 && !fields.contains(HttpHeaders.HOST)) {
      return "there is no Host";
    }
    if (HopByHopHeaders.hasTooManyConnectionOptions(fields)) {
      return "the Connection field has more than "
          + HopByHopHeaders.MAX_CONNECTION_OPTIONS
          + " options";
    }
    for (var field : fields) {
      if (!isToken(field.getKey()) || !isText(field.getValue())) {
        return "a header field has characters it cannot have";
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
