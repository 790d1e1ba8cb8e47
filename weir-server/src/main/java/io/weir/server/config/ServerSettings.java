package io.weir.server.config;

import io.weir.gateway.log.AccessLogFormat;
import io.weir.server.api.AuthHeaderFormat;
import io.weir.server.envoy.EnvoyStoreFailureMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** All settings of the server, with their defaults and help texts. */
public final class ServerSettings {
  private static final List<ServerSetting<?>> ALL = new ArrayList<>();

  public static final ServerSetting<String> STORE =
      define(
          "store",
          "URL",
          "memory",
          "where counters are stored: memory, or Redis at redis://host:port,"
              + " redis-sentinel://… or redis-cluster://…",
          SettingParsers::storeUrl);
  public static final ServerSetting<Duration> STORE_DEADLINE =
      define(
          "store-deadline",
          "TIME",
          "5ms",
          "how long a decision may wait for the store before its rule's fallback applies",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofMinutes(1)));
  public static final ServerSetting<Duration> STORE_SPIKE =
      define(
          "store-spike",
          "TIME",
          "off",
          "above this latency of the store, exact rules are decided by this node and reported to the store later",
          SettingParsers.durationBetweenOrOff(Duration.ofNanos(100_000), Duration.ofMinutes(1)));
  public static final ServerSetting<Integer> STORE_IN_FLIGHT =
      define(
          "store-in-flight",
          "N",
          "1024",
          "maximum number of decisions in flight to the store",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<String> STORE_PREFIX =
      define(
          "store-prefix",
          "TEXT",
          "weir",
          "prefix of all keys, for several Weir deployments on one Redis",
          SettingParsers::nonBlank);
  public static final ServerSetting<Integer> STORE_PAGES =
      define(
          "store-pages",
          "N",
          "0",
          "number of Redis fields that counters share, to save memory: about a fourth of the callers; 0 for none",
          SettingParsers.integerBetween(0, 1 << 28));
  public static final ServerSetting<String> RULES =
      define(
          "rules",
          "URL",
          "jdbc:h2:file:./weir-data/rules",
          "where rules are stored: file:rules.yaml (watched), jdbc:h2:…, jdbc:postgresql://…",
          SettingParsers::rulesUrl);
  public static final ServerSetting<Integer> RULES_MAX_BYTES =
      define(
          "rules-max-bytes",
          "N",
          "0",
          "maximum size of the rules in bytes; 0 for 1/128 of the heap",
          SettingParsers.integerBetween(0, 1 << 26));
  public static final ServerSetting<Path> DATA =
      define(
          "data",
          "FOLDER",
          "./weir-data",
          "folder for the files of this node: counters saved at a stop, last good rules",
          SettingParsers::path);
  public static final ServerSetting<Optional<String>> NODE =
      define(
          "node",
          "NAME",
          "",
          "name of this node; by default that of the host",
          SettingParsers::optionalName);
  public static final ServerSetting<Optional<String>> REGION =
      define(
          "region",
          "NAME",
          "",
          "region of this node, as named in rules",
          SettingParsers::optionalName);
  public static final ServerSetting<Optional<String>> REGIONS_LINK =
      define(
          "regions-link",
          "URL",
          "",
          "a Redis that all regions can reach, used to adapt the shares of divided rules to demand",
          SettingParsers::optionalRedisUrl);

  public static final ServerSetting<OptionalInt> HTTP_PORT =
      port("http", "8080", "port of the decision API");
  public static final ServerSetting<String> HTTP_HOST = host("http", "0.0.0.0");
  public static final ServerSetting<AuthHeaderFormat> AUTH_FORM =
      define(
          "auth-form",
          "auto|original|forwarded",
          "auto",
          "which headers describe the request at GET /v1/auth: X-Original-* or X-Forwarded-*",
          SettingParsers::authForm);
  public static final ServerSetting<OptionalInt> GRPC_PORT =
      port("grpc", "8081", "port of the Envoy rate limit service");
  public static final ServerSetting<String> GRPC_HOST = host("grpc", "0.0.0.0");
  public static final ServerSetting<Boolean> GRPC_HEADERS =
      define(
          "grpc.headers",
          "true|false",
          "true",
          "whether responses to Envoy contain rate limit headers for its callers",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<EnvoyStoreFailureMode> GRPC_SILENCE =
      define(
          "grpc.silence",
          "posture|error",
          "posture",
          "response to Envoy if the store is unavailable: the rules' fallback, or an error where that is open",
          SettingParsers::storeFailureMode);
  public static final ServerSetting<OptionalInt> RESP_PORT =
      port("resp", "off", "port for clients of redis-cell (CL.THROTTLE in the protocol of Redis)");
  public static final ServerSetting<String> RESP_HOST = host("resp", "0.0.0.0");
  public static final ServerSetting<OptionalInt> GATEWAY_PORT =
      port("gateway", "8000", "port of the gateway, which needs an upstream");
  public static final ServerSetting<String> GATEWAY_HOST = host("gateway", "0.0.0.0");
  public static final ServerSetting<Optional<String>> UPSTREAM =
      register(
          ServerSetting.of(
                  "gateway.upstream",
                  "URL…[;OPTION=VALUE…]",
                  "",
                  "where the gateway forwards requests that match no route",
                  SettingParsers::optionalRouteTarget)
              .withFlag("upstream"));
  public static final ServerSetting<Map<String, String>> ROUTES =
      define(
          "gateway.routes",
          "PREFIX=URL…,…",
          "",
          "other upstreams by [METHOD ][host]/path prefix, longest first",
          SettingParsers::routes);
  public static final ServerSetting<Boolean> KEEP_HOST =
      define(
          "gateway.keep-host",
          "true|false",
          "true",
          "whether upstreams receive the original Host header, or their own name",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<Optional<AccessLogFormat>> ACCESS_LOG =
      register(
          ServerSetting.of(
                  "gateway.access-log",
                  "json|combined|off",
                  "off",
                  "whether the gateway logs each request, and how",
                  SettingParsers::accessLog)
              .withFlag("access-log"));
  public static final ServerSetting<String> ACCESS_LOG_TARGET =
      define(
          "gateway.access-log-target",
          "stdout|file:PATH",
          "stdout",
          "where the access log is written",
          SettingParsers::nonBlank);
  public static final ServerSetting<Integer> ACCESS_LOG_SAMPLE =
      define(
          "gateway.access-log-sample",
          "N",
          "1",
          "one of so many requests is logged; those that fail with 500 and above always",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<Boolean> REASON_HEADER =
      define(
          "gateway.reason-header",
          "true|false",
          "false",
          "whether 502, 503 and 504 name their reason in X-Weir-Reason",
          SettingParsers::trueOrFalse);
  public static final ServerSetting<Duration> CONNECT_TIMEOUT =
      define(
          "gateway.connect-timeout",
          "TIME",
          "3s",
          "maximum time to wait for a connection to the upstream",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofMinutes(10)));
  public static final ServerSetting<Duration> UPSTREAM_TIMEOUT =
      define(
          "gateway.upstream-timeout",
          "TIME",
          "60s",
          "maximum time an upstream may be silent before the request fails",
          SettingParsers.durationBetween(Duration.ofMillis(1), Duration.ofDays(1)));
  public static final ServerSetting<Optional<Path>> UPSTREAM_CA =
      define(
          "gateway.upstream-ca",
          "FILE",
          "",
          "trusted certificates (PEM) for https upstreams; by default those of the JDK",
          SettingParsers::optionalFile);
  public static final ServerSetting<Integer> UPSTREAM_CONNECTIONS =
      define(
          "gateway.upstream-connections",
          "N",
          "512",
          "maximum number of connections to each upstream",
          SettingParsers.integerBetween(1, 100_000));
  public static final ServerSetting<Integer> MAX_WEBSOCKETS =
      define(
          "gateway.max-websockets",
          "N",
          "10000",
          "maximum number of WebSockets to each upstream",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<Integer> MAX_WAITING =
      define(
          "gateway.max-waiting",
          "N",
          "1024",
          "maximum number of delayed requests, and of requests waiting for a connection to each upstream",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<OptionalInt> ADMIN_PORT =
      port("admin", "9090", "port of health, metrics and administration");
  public static final ServerSetting<String> ADMIN_HOST = host("admin", "127.0.0.1");
  public static final ServerSetting<Optional<String>> ADMIN_TOKEN =
      register(
          ServerSetting.of(
                  "admin.token",
                  "SECRET",
                  "",
                  "token required from administrators; by default one is generated and printed",
                  SettingParsers::optionalToken)
              .asSecret());

  public static final ServerSetting<Optional<Path>> TLS_CERT =
      define(
          "tls.cert",
          "FILE",
          "",
          "certificate chain (PEM); enables TLS on all ports",
          SettingParsers::optionalFile);
  public static final ServerSetting<Optional<Path>> TLS_KEY =
      define(
          "tls.key",
          "FILE",
          "",
          "private key (PEM) of the certificate",
          SettingParsers::optionalFile);

  public static final ServerSetting<List<String>> TRUSTED_PROXIES =
      define(
          "identity.trusted-proxies",
          "CIDR,…",
          "",
          "proxies whose forwarding headers are trusted, such as 10.0.0.0/8",
          SettingParsers::commaSeparated);
  public static final ServerSetting<String> FORWARDED_HEADER =
      define(
          "identity.forwarded-header",
          "NAME",
          "X-Forwarded-For",
          "header set by trusted proxies: X-Forwarded-For or Forwarded",
          SettingParsers::nonBlank);
  public static final ServerSetting<String> API_KEY_HEADER =
      define(
          "identity.api-key.header",
          "NAME",
          "X-API-Key",
          "header that carries the API key",
          SettingParsers::nonBlank);
  public static final ServerSetting<Optional<String>> JWT_SECRET =
      register(
          ServerSetting.of(
                  "identity.jwt.secret",
                  "SECRET",
                  "",
                  "HMAC secret that verifies JWTs; user from sub, tier from tier",
                  SettingParsers::optionalText)
              .asSecret());
  public static final ServerSetting<Optional<String>> JWT_JWKS =
      define(
          "identity.jwt.jwks",
          "URL",
          "",
          "file or URL of the keys that verify JWTs",
          SettingParsers::optionalText);
  public static final ServerSetting<Optional<String>> JWT_ISSUER =
      define(
          "identity.jwt.issuer", "TEXT", "", "required iss of a JWT", SettingParsers::optionalText);
  public static final ServerSetting<Optional<String>> JWT_AUDIENCE =
      define(
          "identity.jwt.audience",
          "TEXT",
          "",
          "required aud of a JWT",
          SettingParsers::optionalText);
  public static final ServerSetting<Boolean> IDENTITY_REQUIRED =
      define(
          "identity.required",
          "true|false",
          "false",
          "whether requests without a verified identity get 401 instead of being limited by address",
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
          "maximum number of connections to each port",
          SettingParsers.integerBetween(1, 1_000_000));
  public static final ServerSetting<Duration> IDLE_TIMEOUT =
      define(
          "idle-timeout",
          "TIME",
          "60s",
          "time after which an idle connection is closed",
          SettingParsers.durationBetween(Duration.ofSeconds(1), Duration.ofDays(1)));
  public static final ServerSetting<Duration> REQUEST_TIMEOUT =
      define(
          "request-timeout",
          "TIME",
          "10s",
          "maximum time to receive the head of a request; the body needs 256 bytes a second",
          SettingParsers.durationBetween(Duration.ofMillis(10), Duration.ofHours(1)));
  public static final ServerSetting<Duration> DRAIN =
      define(
          "drain",
          "TIME",
          "5s",
          "how long a stopping server waits for requests in flight",
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
          "maximum lines per second and rule in the refusal log; the rest is counted",
          SettingParsers.integerBetween(1, 100_000));
  public static final ServerSetting<Optional<String>> ALERT_WEBHOOK =
      register(
          ServerSetting.of(
                  "alert-webhook",
                  "URL",
                  "",
                  "URL that gets a POST when decisions degrade, rules become stale or clocks drift",
                  SettingParsers::optionalHttpUrl)
              .asSecret());

  private ServerSettings() {}

  public static List<ServerSetting<?>> all() {
    return List.copyOf(ALL);
  }

  private static ServerSetting<OptionalInt> port(String listener, String defaultText, String help) {
    return define(
        listener + ".port", "PORT", defaultText, help + "; off disables it", SettingParsers::port);
  }

  private static ServerSetting<String> host(String listener, String defaultText) {
    return define(
        listener + ".host",
        "ADDRESS",
        defaultText,
        "address to listen on",
        SettingParsers::nonBlank);
  }

  private static <T> ServerSetting<T> define(
      String path, String valueLabel, String defaultText, String help, Function<String, T> parser) {
    return register(ServerSetting.of(path, valueLabel, defaultText, help, parser));
  }

  private static <T> ServerSetting<T> register(ServerSetting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
