package io.weir.server.config;

import io.weir.server.http.AuthHeaderFormat;
import io.weir.server.rls.EnvoyStoreFailureMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** Every setting of the server, with its default and a line of help. */
public final class ServerSettings {
  private static final List<ServerSetting<?>> ALL = new ArrayList<>();

  public static final ServerSetting<String> STORE =
      define(
          "store",
          "URL",
          "memory",
          "where counters live: memory, redis://host:port, redis-sentinel://…, redis-cluster://…",
          SettingParsers::storeUrl);
  public static final ServerSetting<Duration> STORE_DEADLINE =
      define(
          "store-deadline",
          "TIME",
          "5ms",
          "how long a decision may wait for the store before its rule's posture answers",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofMinutes(1)));
  public static final ServerSetting<Duration> STORE_SPIKE =
      define(
          "store-spike",
          "TIME",
          "off",
          "above this latency of the store, answer exact rules from what this node knows, and tell it after",
          SettingParsers.durationBetweenOrOff(Duration.ofNanos(100_000), Duration.ofMinutes(1)));
  public static final ServerSetting<Integer> STORE_IN_FLIGHT =
      define(
          "store-in-flight",
          "N",
          "1024",
          "decisions sent to the store and not yet answered, at most",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<String> STORE_PREFIX =
      define(
          "store-prefix",
          "TEXT",
          "weir",
          "what the keys begin with, for several Weirs on one Redis",
          SettingParsers::nonBlank);
  public static final ServerSetting<Integer> STORE_PAGES =
      define(
          "store-pages",
          "N",
          "0",
          "fields of Redis that counters share, to save memory: about a fourth of the callers; 0 for none",
          SettingParsers.integerBetween(0, 1 << 28));
  public static final ServerSetting<String> RULES =
      define(
          "rules",
          "URL",
          "jdbc:h2:file:./weir-data/rules",
          "where rules live: file:rules.yaml (watched), jdbc:h2:…, jdbc:postgresql://…",
          SettingParsers::rulesUrl);
  public static final ServerSetting<Integer> RULES_MAX_BYTES =
      define(
          "rules-max-bytes",
          "N",
          "0",
          "how many bytes of rules are read at most; 0 for what fits into the heap (1/128 of it)",
          SettingParsers.integerBetween(0, 1 << 26));
  public static final ServerSetting<Path> DATA =
      define(
          "data",
          "FOLDER",
          "./weir-data",
          "where this node keeps its files: counters at a stop, the last good rules",
          SettingParsers::path);
  public static final ServerSetting<Optional<String>> NODE =
      define(
          "node",
          "NAME",
          "",
          "this node's name; the host's if not said",
          SettingParsers::optionalName);
  public static final ServerSetting<Optional<String>> REGION =
      define(
          "region",
          "NAME",
          "",
          "this node's region, as rules name it",
          SettingParsers::optionalName);
  public static final ServerSetting<Optional<String>> REGIONS_LINK =
      define(
          "regions-link",
          "URL",
          "",
          "a Redis that all regions can reach: shares of divided rules follow demand through it",
          SettingParsers::optionalRedisUrl);

  public static final ServerSetting<OptionalInt> HTTP_PORT =
      port("http", "8080", "the decision API");
  public static final ServerSetting<String> HTTP_HOST = host("http", "0.0.0.0");
  public static final ServerSetting<AuthHeaderFormat> AUTH_FORM =
      define(
          "auth-form",
          "auto|original|forwarded",
          "auto",
          "which fields describe the request at GET /v1/auth: X-Original-* or X-Forwarded-*",
          SettingParsers::authForm);
  public static final ServerSetting<OptionalInt> GRPC_PORT =
      port("grpc", "8081", "Envoy's protocol");
  public static final ServerSetting<String> GRPC_HOST = host("grpc", "0.0.0.0");
  public static final ServerSetting<Boolean> GRPC_HEADERS =
      define(
          "grpc.headers",
          "true|false",
          "true",
          "whether Envoy is told the header fields for its callers",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<EnvoyStoreFailureMode> GRPC_SILENCE =
      define(
          "grpc.silence",
          "posture|error",
          "posture",
          "what Envoy is told where the store is silent; error leaves open rules to Envoy",
          SettingParsers::storeFailureMode);
  public static final ServerSetting<OptionalInt> GATEWAY_PORT =
      port("gateway", "8000", "the gateway; closed while there is no upstream");
  public static final ServerSetting<String> GATEWAY_HOST = host("gateway", "0.0.0.0");
  public static final ServerSetting<Optional<String>> UPSTREAM =
      register(
          ServerSetting.of(
                  "gateway.upstream",
                  "URL",
                  "",
                  "where the gateway forwards what no route names",
                  SettingParsers::optionalHttpUrl)
              .withFlag("upstream"));
  public static final ServerSetting<Map<String, String>> ROUTES =
      define(
          "gateway.routes",
          "PREFIX=URL,…",
          "",
          "other upstreams, by [host]/path prefix, the longest first",
          SettingParsers::routes);
  public static final ServerSetting<Boolean> KEEP_HOST =
      define(
          "gateway.keep-host",
          "true|false",
          "true",
          "whether upstreams see the host that was asked for, or their own",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<Duration> CONNECT_TIMEOUT =
      define(
          "gateway.connect-timeout",
          "TIME",
          "3s",
          "how long a request may wait for a connection to its upstream",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofMinutes(10)));
  public static final ServerSetting<Duration> UPSTREAM_TIMEOUT =
      define(
          "gateway.upstream-timeout",
          "TIME",
          "60s",
          "how long an upstream may be silent before the gateway gives up on it",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofDays(1)));
  public static final ServerSetting<Optional<Path>> UPSTREAM_CA =
      define(
          "gateway.upstream-ca",
          "FILE",
          "",
          "certificates in PEM that https upstreams may be signed by; the JDK's if not said",
          SettingParsers::optionalFile);
  public static final ServerSetting<Integer> UPSTREAM_CONNECTIONS =
      define(
          "gateway.upstream-connections",
          "N",
          "512",
          "open connections to each upstream",
          SettingParsers.integerBetween(1, 100_000));
  public static final ServerSetting<Integer> MAX_WEBSOCKETS =
      define(
          "gateway.max-websockets",
          "N",
          "10000",
          "open WebSockets to each upstream",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<Integer> MAX_WAITING =
      define(
          "gateway.max-waiting",
          "N",
          "1024",
          "requests held for their delay, and waiting for a connection to each upstream",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<OptionalInt> ADMIN_PORT =
      port("admin", "9090", "health, metrics and administration");
  public static final ServerSetting<String> ADMIN_HOST = host("admin", "127.0.0.1");
  public static final ServerSetting<Optional<String>> ADMIN_TOKEN =
      register(
          ServerSetting.of(
                  "admin.token",
                  "SECRET",
                  "",
                  "what administrators must show; one is made and printed if not said",
                  SettingParsers::optionalToken)
              .asSecret());

  public static final ServerSetting<Optional<Path>> TLS_CERT =
      define(
          "tls.cert",
          "FILE",
          "",
          "a certificate chain in PEM: all doors speak TLS",
          SettingParsers::optionalFile);
  public static final ServerSetting<Optional<Path>> TLS_KEY =
      define("tls.key", "FILE", "", "its private key in PEM", SettingParsers::optionalFile);

  public static final ServerSetting<List<String>> TRUSTED_PROXIES =
      define(
          "identity.trusted-proxies",
          "CIDR,…",
          "",
          "whose forwarding headers are believed, such as 10.0.0.0/8",
          SettingParsers::commaSeparated);
  public static final ServerSetting<String> FORWARDED_HEADER =
      define(
          "identity.forwarded-header",
          "NAME",
          "X-Forwarded-For",
          "the header trusted proxies write: X-Forwarded-For or Forwarded",
          SettingParsers::nonBlank);
  public static final ServerSetting<String> API_KEY_HEADER =
      define(
          "identity.api-key.header",
          "NAME",
          "X-API-Key",
          "where API keys are shown",
          SettingParsers::nonBlank);
  public static final ServerSetting<Optional<String>> JWT_SECRET =
      register(
          ServerSetting.of(
                  "identity.jwt.secret",
                  "SECRET",
                  "",
                  "verifies JWTs by HMAC; user from sub, tier from tier",
                  SettingParsers::optionalText)
              .asSecret());
  public static final ServerSetting<Optional<String>> JWT_JWKS =
      define(
          "identity.jwt.jwks",
          "URL",
          "",
          "verifies JWTs by these keys, a file or URL",
          SettingParsers::optionalText);
  public static final ServerSetting<Optional<String>> JWT_ISSUER =
      define(
          "identity.jwt.issuer",
          "TEXT",
          "",
          "the iss a JWT must have",
          SettingParsers::optionalText);
  public static final ServerSetting<Optional<String>> JWT_AUDIENCE =
      define(
          "identity.jwt.audience",
          "TEXT",
          "",
          "the aud a JWT must have",
          SettingParsers::optionalText);
  public static final ServerSetting<Boolean> IDENTITY_REQUIRED =
      define(
          "identity.required",
          "true|false",
          "false",
          "whether a request without verified identity gets 401 instead of counting by address",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<List<String>> IDENTITY_HEADERS =
      define(
          "identity.headers",
          "NAME,…",
          "",
          "headers that become attributes header.name",
          SettingParsers::commaSeparated);

  public static final ServerSetting<Integer> MAX_CONNECTIONS =
      define(
          "max-connections",
          "N",
          "10000",
          "open connections to each door",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<Duration> IDLE_TIMEOUT =
      define(
          "idle-timeout",
          "TIME",
          "60s",
          "after which a silent connection is closed",
          SettingParsers.durationBetween(Duration.ofSeconds(1), Duration.ofDays(1)));
  public static final ServerSetting<Duration> REQUEST_TIMEOUT =
      define(
          "request-timeout",
          "TIME",
          "10s",
          "in which the head of a request must have come, and 256 bytes a second of its body",
          SettingParsers.durationBetween(Duration.ofMillis(10), Duration.ofHours(1)));
  public static final ServerSetting<Duration> DRAIN =
      define(
          "drain",
          "TIME",
          "5s",
          "how long a stopping server waits for requests under way",
          SettingParsers.durationBetween(Duration.ZERO, Duration.ofMinutes(10)));
  public static final ServerSetting<String> REFUSAL_LOG =
      define(
          "refusal-log",
          "WHERE",
          "off",
          "where refusals are logged, one JSON line each: off, stdout, or file:PATH",
          SettingParsers::nonBlank);
  public static final ServerSetting<Integer> REFUSAL_LOG_RATE =
      define(
          "refusal-log-rate",
          "N",
          "10",
          "lines a second and rule in the refusal log; the rest is counted",
          SettingParsers.integerBetween(1, 100_000));
  public static final ServerSetting<Optional<String>> ALERT_WEBHOOK =
      register(
          ServerSetting.of(
                  "alert-webhook",
                  "URL",
                  "",
                  "told by POST when decisions degrade, rules grow stale or clocks drift",
                  SettingParsers::optionalHttpUrl)
              .asSecret());

  private ServerSettings() {}

  public static List<ServerSetting<?>> all() {
    return List.copyOf(ALL);
  }

  private static ServerSetting<OptionalInt> port(String door, String usual, String help) {
    return define(
        door + ".port", "PORT", usual, help + "; off closes this door", SettingParsers::port);
  }

  private static ServerSetting<String> host(String door, String usual) {
    return define(
        door + ".host",
        "ADDRESS",
        usual,
        "the address this door listens at",
        SettingParsers::nonBlank);
  }

  private static <T> ServerSetting<T> define(
      String path, String takes, String usual, String help, Function<String, T> reader) {
    return register(ServerSetting.of(path, takes, usual, help, reader));
  }

  private static <T> ServerSetting<T> register(ServerSetting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
