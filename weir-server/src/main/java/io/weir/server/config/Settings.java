package io.weir.server.config;

import io.weir.server.http.AuthForm;
import io.weir.server.rls.Silence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** Every setting of the server, with its default and a line of help. */
public final class Settings {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  public static final Setting<String> STORE =
      add(
          "store",
          "URL",
          "memory",
          "where counters live: memory, redis://host:port, redis-sentinel://…, redis-cluster://…",
          Values::store);
  public static final Setting<Duration> STORE_DEADLINE =
      add(
          "store-deadline",
          "TIME",
          "5ms",
          "how long a decision may wait for the store before its rule's posture answers",
          Values.duration(Duration.ofMillis(1), Duration.ofMinutes(1)));
  public static final Setting<Duration> STORE_SPIKE =
      add(
          "store-spike",
          "TIME",
          "off",
          "above this latency of the store, answer exact rules from what this node knows, and tell it after",
          Values.durationOrOff(Duration.ofNanos(100_000), Duration.ofMinutes(1)));
  public static final Setting<Integer> STORE_IN_FLIGHT =
      add(
          "store-in-flight",
          "N",
          "1024",
          "decisions sent to the store and not yet answered, at most",
          Values.whole(1, 1_000_000));
  public static final Setting<String> STORE_PREFIX =
      add(
          "store-prefix",
          "TEXT",
          "weir",
          "what the keys begin with, for several Weirs on one Redis",
          Values::text);
  public static final Setting<Integer> STORE_PAGES =
      add(
          "store-pages",
          "N",
          "0",
          "fields of Redis that counters share, to save memory: about a fourth of the callers; 0 for none",
          Values.whole(0, 1 << 28));
  public static final Setting<String> RULES =
      add(
          "rules",
          "URL",
          "jdbc:h2:file:./weir-data/rules",
          "where rules live: file:rules.yaml (watched), jdbc:h2:…, jdbc:postgresql://…",
          Values::rules);
  public static final Setting<Integer> RULES_MAX_BYTES =
      add(
          "rules-max-bytes",
          "N",
          "0",
          "how many bytes of rules are read at most; 0 for what fits into the heap (1/128 of it)",
          Values.whole(0, 1 << 26));
  public static final Setting<Path> DATA =
      add(
          "data",
          "FOLDER",
          "./weir-data",
          "where this node keeps its files: counters at a stop, the last good rules",
          Values::path);
  public static final Setting<Optional<String>> NODE =
      add("node", "NAME", "", "this node's name; the host's if not said", Values::name);
  public static final Setting<Optional<String>> REGION =
      add("region", "NAME", "", "this node's region, as rules name it", Values::name);
  public static final Setting<Optional<String>> REGIONS_LINK =
      add(
          "regions-link",
          "URL",
          "",
          "a Redis that all regions can reach: shares of divided rules follow demand through it",
          Values::link);

  public static final Setting<OptionalInt> HTTP_PORT = port("http", "8080", "the decision API");
  public static final Setting<String> HTTP_HOST = host("http", "0.0.0.0");
  public static final Setting<AuthForm> AUTH_FORM =
      add(
          "auth-form",
          "auto|original|forwarded",
          "auto",
          "which fields describe the request at GET /v1/auth: X-Original-* or X-Forwarded-*",
          Values::authForm);
  public static final Setting<OptionalInt> GRPC_PORT = port("grpc", "8081", "Envoy's protocol");
  public static final Setting<String> GRPC_HOST = host("grpc", "0.0.0.0");
  public static final Setting<Boolean> GRPC_HEADERS =
      add(
          "grpc.headers",
          "true|false",
          "true",
          "whether Envoy is told the header fields for its callers",
          Values::truth);
  public static final Setting<Silence> GRPC_SILENCE =
      add(
          "grpc.silence",
          "posture|error",
          "posture",
          "what Envoy is told where the store is silent; error leaves open rules to Envoy",
          Values::silence);
  public static final Setting<OptionalInt> GATEWAY_PORT =
      port("gateway", "8000", "the gateway; closed while there is no upstream");
  public static final Setting<String> GATEWAY_HOST = host("gateway", "0.0.0.0");
  public static final Setting<Optional<String>> UPSTREAM =
      keep(
          Setting.of(
                  "gateway.upstream",
                  "URL",
                  "",
                  "where the gateway forwards what no route names",
                  Values::upstream)
              .named("upstream"));
  public static final Setting<Map<String, String>> ROUTES =
      add(
          "gateway.routes",
          "PREFIX=URL,…",
          "",
          "other upstreams, by [host]/path prefix, the longest first",
          Values::routes);
  public static final Setting<Boolean> KEEP_HOST =
      add(
          "gateway.keep-host",
          "true|false",
          "true",
          "whether upstreams see the host that was asked for, or their own",
          Values::truth);
  public static final Setting<Duration> CONNECT_TIMEOUT =
      add(
          "gateway.connect-timeout",
          "TIME",
          "3s",
          "how long a request may wait for a connection to its upstream",
          Values.duration(Duration.ofMillis(1), Duration.ofMinutes(10)));
  public static final Setting<Duration> UPSTREAM_TIMEOUT =
      add(
          "gateway.upstream-timeout",
          "TIME",
          "60s",
          "how long an upstream may be silent before the gateway gives up on it",
          Values.duration(Duration.ofMillis(1), Duration.ofDays(1)));
  public static final Setting<Optional<Path>> UPSTREAM_CA =
      add(
          "gateway.upstream-ca",
          "FILE",
          "",
          "certificates in PEM that https upstreams may be signed by; the JDK's if not said",
          Values::file);
  public static final Setting<Integer> UPSTREAM_CONNECTIONS =
      add(
          "gateway.upstream-connections",
          "N",
          "512",
          "open connections to each upstream",
          Values.whole(1, 100_000));
  public static final Setting<Integer> MAX_WEBSOCKETS =
      add(
          "gateway.max-websockets",
          "N",
          "10000",
          "open WebSockets to each upstream",
          Values.whole(1, 1_000_000));
  public static final Setting<Integer> MAX_WAITING =
      add(
          "gateway.max-waiting",
          "N",
          "1024",
          "requests held for their delay, and waiting for a connection to each upstream",
          Values.whole(1, 1_000_000));
  public static final Setting<OptionalInt> ADMIN_PORT =
      port("admin", "9090", "health, metrics and administration");
  public static final Setting<String> ADMIN_HOST = host("admin", "127.0.0.1");
  public static final Setting<Optional<String>> ADMIN_TOKEN =
      keep(
          Setting.of(
                  "admin.token",
                  "SECRET",
                  "",
                  "what administrators must show; one is made and printed if not said",
                  Values::token)
              .asSecret());

  public static final Setting<Optional<Path>> TLS_CERT =
      add("tls.cert", "FILE", "", "a certificate chain in PEM: all doors speak TLS", Values::file);
  public static final Setting<Optional<Path>> TLS_KEY =
      add("tls.key", "FILE", "", "its private key in PEM", Values::file);

  public static final Setting<List<String>> TRUSTED_PROXIES =
      add(
          "identity.trusted-proxies",
          "CIDR,…",
          "",
          "whose forwarding headers are believed, such as 10.0.0.0/8",
          Values::list);
  public static final Setting<String> FORWARDED_HEADER =
      add(
          "identity.forwarded-header",
          "NAME",
          "X-Forwarded-For",
          "the header trusted proxies write: X-Forwarded-For or Forwarded",
          Values::text);
  public static final Setting<String> API_KEY_HEADER =
      add("identity.api-key.header", "NAME", "X-API-Key", "where API keys are shown", Values::text);
  public static final Setting<Optional<String>> JWT_SECRET =
      keep(
          Setting.of(
                  "identity.jwt.secret",
                  "SECRET",
                  "",
                  "verifies JWTs by HMAC; user from sub, tier from tier",
                  Values::optional)
              .asSecret());
  public static final Setting<Optional<String>> JWT_JWKS =
      add(
          "identity.jwt.jwks",
          "URL",
          "",
          "verifies JWTs by these keys, a file or URL",
          Values::optional);
  public static final Setting<Optional<String>> JWT_ISSUER =
      add("identity.jwt.issuer", "TEXT", "", "the iss a JWT must have", Values::optional);
  public static final Setting<Optional<String>> JWT_AUDIENCE =
      add("identity.jwt.audience", "TEXT", "", "the aud a JWT must have", Values::optional);
  public static final Setting<Boolean> IDENTITY_REQUIRED =
      add(
          "identity.required",
          "true|false",
          "false",
          "whether a request without verified identity gets 401 instead of counting by address",
          Values::truth);
  public static final Setting<List<String>> IDENTITY_HEADERS =
      add(
          "identity.headers",
          "NAME,…",
          "",
          "headers that become attributes header.name",
          Values::list);

  public static final Setting<Integer> MAX_CONNECTIONS =
      add(
          "max-connections",
          "N",
          "10000",
          "open connections to each door",
          Values.whole(1, 1_000_000));
  public static final Setting<Duration> IDLE_TIMEOUT =
      add(
          "idle-timeout",
          "TIME",
          "60s",
          "after which a silent connection is closed",
          Values.duration(Duration.ofSeconds(1), Duration.ofDays(1)));
  public static final Setting<Duration> REQUEST_TIMEOUT =
      add(
          "request-timeout",
          "TIME",
          "10s",
          "in which the head of a request must have come, and 256 bytes a second of its body",
          Values.duration(Duration.ofMillis(10), Duration.ofHours(1)));
  public static final Setting<Duration> DRAIN =
      add(
          "drain",
          "TIME",
          "5s",
          "how long a stopping server waits for requests under way",
          Values.duration(Duration.ZERO, Duration.ofMinutes(10)));
  public static final Setting<String> REFUSAL_LOG =
      add(
          "refusal-log",
          "WHERE",
          "off",
          "where refusals are logged, one JSON line each: off, stdout, or file:PATH",
          Values::text);
  public static final Setting<Integer> REFUSAL_LOG_RATE =
      add(
          "refusal-log-rate",
          "N",
          "10",
          "lines a second and rule in the refusal log; the rest is counted",
          Values.whole(1, 100_000));
  public static final Setting<Optional<String>> ALERT_WEBHOOK =
      keep(
          Setting.of(
                  "alert-webhook",
                  "URL",
                  "",
                  "told by POST when decisions degrade, rules grow stale or clocks drift",
                  Values::upstream)
              .asSecret());

  private Settings() {}

  public static List<Setting<?>> all() {
    return List.copyOf(ALL);
  }

  private static Setting<OptionalInt> port(String door, String usual, String help) {
    return add(door + ".port", "PORT", usual, help + "; off closes this door", Values::port);
  }

  private static Setting<String> host(String door, String usual) {
    return add(door + ".host", "ADDRESS", usual, "the address this door listens at", Values::text);
  }

  private static <T> Setting<T> add(
      String path, String takes, String usual, String help, Function<String, T> reader) {
    return keep(Setting.of(path, takes, usual, help, reader));
  }

  private static <T> Setting<T> keep(Setting<T> setting) {
    ALL.add(setting);
    return setting;
  }
}
