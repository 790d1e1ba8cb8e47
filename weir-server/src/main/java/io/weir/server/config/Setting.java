package io.weir.server.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * One thing the server can be told: as {@code --http-port}, as {@code WEIR_HTTP_PORT}, or in the
 * file as {@code http: {port: …}}.
 *
 * @param path where it stands in the file, such as {@code http.port}
 * @param flag its flag without the dashes, such as {@code http-port}
 * @param takes what it takes, for the help, such as {@code PORT}
 * @param usual the text it has if nothing is said
 * @param secret whether its value is never shown
 * @param reader makes a value of the text, or says what to write instead
 */
public record Setting<T>(
    String path,
    String flag,
    String takes,
    String usual,
    String help,
    boolean secret,
    Function<String, T> reader) {

  static <T> Setting<T> of(
      String path, String takes, String usual, String help, Function<String, T> reader) {
    return new Setting<>(path, path.replace('.', '-'), takes, usual, help, false, reader);
  }

  Setting<T> named(String otherFlag) {
    return new Setting<>(path, otherFlag, takes, usual, help, secret, reader);
  }

  Setting<T> asSecret() {
    return new Setting<>(path, flag, takes, usual, help, true, reader);
  }

  /** The name of its environment variable. */
  public String variable() {
    return "WEIR_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
