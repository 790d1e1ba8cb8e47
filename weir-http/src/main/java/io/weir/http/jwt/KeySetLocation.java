package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.DefaultResourceRetriever;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A file or URL that contains a key set. */
final class KeySetLocation {
  private static final Logger LOG = System.getLogger(KeySetLocation.class.getName());
  private static final int MAX_BYTES = 1 << 20;
  static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
  private static final int READ_TIMEOUT_MILLIS = (int) READ_TIMEOUT.toMillis();

  private final String location;
  private final @Nullable URL url;

  /**
   * @param location a file, or a URL that begins with {@code https://} or {@code http://}
   */
  KeySetLocation(String location) {
    this.location = location;
    boolean plain = location.startsWith("http://");
    url = plain || location.startsWith("https://") ? url(location) : null;
    if (plain) {
      LOG.log(
          Level.WARNING,
          "JWT keys from {0} are loaded without TLS and can be forged; use https:// if possible",
          location);
    }
  }

  private static URL url(String address) {
    try {
      URL url = URI.create(address).toURL();
      if (!url.getHost().isEmpty()) {
        return url;
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      LOG.log(Level.DEBUG, "not a URL", e);
    }
    throw new IllegalArgumentException(
        "jwt: jwks '" + address + "' is not a valid URL, for example https://id.example/jwks.json");
  }

  /** Returns whether this is a URL, which may be temporarily unreachable, unlike a file. */
  boolean isRemote() {
    return url != null;
  }

  /** Returns the current content; may take some seconds. */
  String read() throws IOException {
    if (url != null) {
      return new DefaultResourceRetriever(READ_TIMEOUT_MILLIS, READ_TIMEOUT_MILLIS, MAX_BYTES)
          .retrieveResource(url)
          .getContent();
    }
    String file = location.startsWith("file:") ? location.substring("file:".length()) : location;
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("the file is larger than 1 MiB");
      }
      return new String(bytes, UTF_8);
    }
  }

  @Override
  public String toString() {
    return location;
  }
}
