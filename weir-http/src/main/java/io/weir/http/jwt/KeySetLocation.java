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

/** A file or an address that holds a key set. */
final class KeySetLocation {
  private static final Logger LOG = System.getLogger(KeySetLocation.class.getName());
  private static final int MAX_BYTES = 1 << 20;
  static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
  private static final int READ_TIMEOUT_MILLIS = (int) READ_TIMEOUT.toMillis();

  private final String location;
  private final @Nullable URL url;

  /**
   * @param written a file, or an address that begins with {@code https://} or {@code http://}
   */
  KeySetLocation(String written) {
    this.location = written;
    boolean plain = written.startsWith("http://");
    url = plain || written.startsWith("https://") ? url(written) : null;
    if (plain) {
      LOG.log(
          Level.WARNING,
          "keys from {0} can be forged by whoever is on the way; write https:// where you can",
          written);
    }
  }

  private static URL url(String address) {
    try {
      URL url = URI.create(address).toURL();
      if (!url.getHost().isEmpty()) {
        return url;
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      LOG.log(Level.DEBUG, "no address", e);
    }
    throw new IllegalArgumentException(
        "jwt: jwks '" + address + "' is no address; write https://, a host and a path");
  }

  /** Whether it may be away for a while, unlike a file. */
  boolean isRemote() {
    return url != null;
  }

  /** What it holds now; may take some seconds. */
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
        throw new IOException("it is larger than 1 MiB");
      }
      return new String(bytes, UTF_8);
    }
  }

  @Override
  public String toString() {
    return location;
  }
}
