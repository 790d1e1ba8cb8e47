package io.weir.server.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * One thing the server can be told: as {@code --http-port}, as {@code WEIR_HTTP_PORT}, or in the
 * file as {@code http: {port: …}}.
 *
 * @param path where it stands in the file, such as {@code http.port}
 * @param flag its flag without the dashes, such as {@code http-port}
 * @param valueLabel what it takes, for the help, such as {@code PORT}
 * @param defaultText the text it has if nothing is said
 * @param secret whether its value is never shown
 * @param parser makes a value of the text, or says what to write instead
 */
public record ServerSetting<T>(
    String path,
    String flag,
    String valueLabel,
    String defaultText,
    String help,
    boolean secret,
    Function<String, T> parser) {

  static <T> ServerSetting<T> of(
      String path, String takes, String usual, String help, Function<String, T> reader) {
    return new ServerSetting<>(path, path.replace('.', '-'), takes, usual, help, false, reader);
  }

  ServerSetting<T> withFlag(String otherFlag) {
    return new ServerSetting<>(path, otherFlag, valueLabel, defaultText, help, secret, parser);
  }

  ServerSetting<T> asSecret() {
    return new ServerSetting<>(path, flag, valueLabel, defaultText, help, true, parser);
  }

  /** The name of its environment variable. */
  public String environmentVariable() {
    return "WEIR_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
