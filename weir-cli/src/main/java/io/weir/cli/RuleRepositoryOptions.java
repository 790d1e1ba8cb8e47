package io.weir.cli;

import io.weir.cli.repository.RuleRepository;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select a rule repository: a database, a file or a running server. */
final class RuleRepositoryOptions {
  @Option(
      names = "--rules",
      paramLabel = "URL",
      description =
          "Where rules are stored: jdbc:h2:…, jdbc:postgresql://… or file:…; by default as in"
              + " weir serve.")
  @Nullable String rules;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Reads the place of the rules and the token from this file of weir serve.")
  @Nullable Path config;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description =
          "Uses the admin API of a running server instead, such as http://127.0.0.1:9090.")
  @Nullable String server;

  @Option(
      names = "--token",
      paramLabel = "SECRET",
      description =
          "The server's admin token; WEIR_ADMIN_TOKEN is safer, as other users cannot see it.")
  @Nullable String token;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "Trusted certificates (PEM), for a server with a private CA.")
  @Nullable Path caFile;

  /**
   * Opens the selected repository.
   *
   * @param create whether to create a missing database file
   */
  RuleRepository open(Map<String, String> environment, boolean create) {
    Map<String, String> flags = new HashMap<>();
    if (rules != null) {
      flags.put(ServerSettings.RULES.flag(), rules);
    }
    if (token != null) {
      flags.put(ServerSettings.ADMIN_TOKEN.flag(), token);
    }
    ServerConfig settings = ServerConfig.read(flags, environment, Optional.ofNullable(config));
    if (server == null) {
      return RuleRepository.open(settings.get(ServerSettings.RULES), create);
    }
    if (rules != null) {
      throw new CommandException("--rules and --server exclude each other; use one of them");
    }
    String secret =
        settings
            .get(ServerSettings.ADMIN_TOKEN)
            .orElseThrow(
                () ->
                    new CommandException(
                        "the admin API requires a token; set WEIR_ADMIN_TOKEN or use --token"));
    return new RemoteRuleRepository(ServerHttpClient.create(server, caFile), secret);
  }
}
