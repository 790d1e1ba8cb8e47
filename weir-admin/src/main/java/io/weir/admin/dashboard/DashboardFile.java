package io.weir.admin.dashboard;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/** One file of the dashboard, compressed once, with its security headers. Thread-safe. */
final class DashboardFile {
  /**
   * Allows only files of this origin, no inline code, and no text parsed as markup, so that a
   * hostile caller name stays text.
   */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private final String path;
  private final String contentType;
  private final String etag;
  private final Buffer plain;
  private final Buffer gzipped;

  DashboardFile(String path, String file, byte[] content) {
    this.path = path;
    contentType =
        CONTENT_TYPES.getOrDefault(file.substring(file.lastIndexOf('.') + 1), "text/plain");
    plain = Buffer.buffer(content);
    gzipped = Buffer.buffer(gzip(content));
    CRC32 sum = new CRC32();
    sum.update(content);
    etag = "\"" + Long.toHexString(sum.getValue()) + "-" + content.length + "\"";
  }

  String path() {
    return path;
  }

  void send(HttpServerRequest http) {
    HttpServerResponse response = http.response();
    response
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
        .putHeader(HttpHeaders.VARY, "Accept-Encoding")
        .putHeader(HttpHeaders.ETAG, etag);
    if (etag.equals(http.getHeader(HttpHeaders.IF_NONE_MATCH))) {
      response.setStatusCode(304).end();
      return;
    }
    String accepted = http.getHeader(HttpHeaders.ACCEPT_ENCODING);
    boolean zipped = accepted != null && accepted.contains("gzip");
    if (zipped) {
      response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    response.putHeader(HttpHeaders.CONTENT_TYPE, contentType).end(zipped ? gzipped : plain);
  }

  private static byte[] gzip(byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }
}
