package io.weir.server.cli;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.server.home.RuleRepository;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which rules a command is about: those of a database or a file, or of a running server. */
final class RuleRepositoryOptions {
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
  @Nullable Path caFile;

  /**
   * Where the rules are that were meant.
   *
   * @param make whether a database that is a file is made where there is none
   */
  RuleRepository open(Map<String, String> environment, boolean make) {
    Map<String, String> flags = new HashMap<>();
    if (rules != null) {
      flags.put(ServerSettings.RULES.flag(), rules);
    }
    if (token != null) {
      flags.put(ServerSettings.ADMIN_TOKEN.flag(), token);
    }
    ServerConfig told = ServerConfig.read(flags, environment, Optional.ofNullable(config));
    if (server == null) {
      return RuleRepository.open(told.get(ServerSettings.RULES), make);
    }
    if (rules != null) {
      throw new CommandException("--rules and --server are two places; write one of them");
    }
    String secret =
        told.get(ServerSettings.ADMIN_TOKEN)
            .orElseThrow(
                () ->
                    new CommandException(
                        "the admin door asks for a token; set WEIR_ADMIN_TOKEN, or write --token"));
    return new RemoteRuleRepository(ServerHttpClient.create(server, caFile), secret);
  }
}
