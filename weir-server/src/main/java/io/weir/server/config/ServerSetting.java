package io.weir.server.config;

import java.util.Locale;
import java.util.function.Function;

/**
 * A setting of the server, given as {@code --http-port}, as {@code WEIR_HTTP_PORT}, or in the file
 * as {@code http: {port: …}}.
 *
 * @param path the path in the file, such as {@code http.port}
 * @param flag the flag without the dashes, such as {@code http-port}
 * @param valueLabel the label of the value in the help, such as {@code PORT}
 * @param defaultText the text used if the setting is not given
 * @param secret whether the value is never shown
 * @param parser converts the text to a value, or throws an {@link IllegalArgumentException}
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
      String path, String valueLabel, String defaultText, String help, Function<String, T> parser) {
    return new ServerSetting<>(
        path, path.replace('.', '-'), valueLabel, defaultText, help, false, parser);
  }

  ServerSetting<T> withFlag(String otherFlag) {
    return new ServerSetting<>(path, otherFlag, valueLabel, defaultText, help, secret, parser);
  }

  ServerSetting<T> asSecret() {
    return new ServerSetting<>(path, flag, valueLabel, defaultText, help, true, parser);
  }

  /** Returns the name of the environment variable. */
  public String environmentVariable() {
    return "WEIR_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
