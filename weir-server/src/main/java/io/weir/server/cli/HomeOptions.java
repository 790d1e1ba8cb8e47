package io.weir.server.cli;

import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.server.home.RuleHome;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which rules a command is about: those of a database or a file, or of a running server. */
final class HomeOptions {
  @Option(
      names = "--rules",
      paramLabel = "URL",
      description =
          "Where the rules live: jdbc:h2:…, jdbc:postgresql://… or file:…; if not said, where"
              + " weir serve would find them.")
  @Nullable String rules;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Reads where the rules live, and the token, from this file of weir serve.")
  @Nullable Path config;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "Asks the admin port of a running server instead, such as http://127.0.0.1:9090.")
  @Nullable String server;

  @Option(
      names = "--token",
      paramLabel = "SECRET",
      description = "The server's admin token; better in WEIR_ADMIN_TOKEN, where nobody sees it.")
  @Nullable String token;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "Certificates in PEM to trust, for a server with one of its own.")
  @Nullable Path authorities;

  /**
   * Where the rules are that were meant.
   *
   * @param make whether a database that is a file is made where there is none
   */
  RuleHome open(Map<String, String> environment, boolean make) {
    Map<String, String> flags = new HashMap<>();
    if (rules != null) {
      flags.put(Settings.RULES.flag(), rules);
    }
    if (token != null) {
      flags.put(Settings.ADMIN_TOKEN.flag(), token);
    }
    Config told = Config.read(flags, environment, Optional.ofNullable(config));
    if (server == null) {
      return RuleHome.open(told.get(Settings.RULES), make);
    }
    if (rules != null) {
      throw new CommandException("--rules and --server are two places; write one of them");
    }
    String secret =
        told.get(Settings.ADMIN_TOKEN)
            .orElseThrow(
                () ->
                    new CommandException(
                        "the admin door asks for a token; set WEIR_ADMIN_TOKEN, or write --token"));
    return new ServerHome(ServerCalls.to(server, authorities), secret);
  }
}
