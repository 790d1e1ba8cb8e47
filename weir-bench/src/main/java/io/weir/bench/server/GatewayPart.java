package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.bench.report.Part;
import io.weir.bench.report.Rounds;
import io.weir.bench.report.Table;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The gateway under load from another process, beside the same load straight to the upstream and
 * through nginx with {@code limit_req}; what {@code ./bench gateway} measures.
 */
public final class GatewayPart implements Part {
  private static final int AT_ONCE = 64;
  private static final long WARM_UP_REQUESTS = 250_000;
  private static final int MOST_WARM_UPS = 12;
  private static final long WARM_UP_MILLIS = 3_000;
  private static final String MAX = "64 at once";
  private static final String WEIR = "weir";
  private static final String REFUSED = "weir, refused";
  private static final String NGINX = "nginx";
  private static final String NGINX_REFUSED = "nginx, refused";
  private static final String STRAIGHT = "straight";
  private static final String RULES =
      """
      rules:
        - {id: all, match: {path: /free/**}, per: [ip], limit: 1000000/second}
        - {id: none, match: {path: /refused/**}, per: [ip], limit: 1/day}
      """;
  private static final String REQUEST =
      """
      GET %s HTTP/1.1
      Host: bench.example
      User-Agent: bench/1
      Accept: application/json
      Accept-Encoding: gzip
      Authorization: Bearer abcdefghijklmnopqrstuvwxyz

      """
          .replace("\n", "\r\n");
  private static final String NGINX_CONFIG =
      """
      daemon off;
      pid @here@/nginx.pid;
      worker_processes auto;
      events { worker_connections 1024; }
      http {
        access_log off;
        client_body_temp_path @here@/b; proxy_temp_path @here@/p; fastcgi_temp_path @here@/f;
        uwsgi_temp_path @here@/u; scgi_temp_path @here@/s;
        keepalive_requests 100000000;
        limit_req_zone $binary_remote_addr zone=all:10m rate=1000000r/s;
        limit_req_zone $binary_remote_addr zone=none:10m rate=1r/m;
        limit_req_status 429;
        limit_req_log_level info;
        upstream service { server 127.0.0.1:@upstream@; keepalive 512; keepalive_requests 100000000; }
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        server {
          listen 127.0.0.1:@port@;
          location /free { limit_req zone=all burst=1000000 nodelay; proxy_pass http://service; }
          location /refused { limit_req zone=none; proxy_pass http://service; }
        }
      }
      """;

  private final Table rate = Table.higherIsBetter("As fast as answers come", "requests/s");
  private final Table cpu = Table.lowerIsBetter("CPU of the proxy", "µs per request");
  private final Table p99 = Table.lowerIsBetter("At one rate for all", "ms");

  @Override
  public List<Table> measure(Rounds rounds) throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    try (Target upstream = Target.bare();
        Target weir = Target.gateway(rules, folder, upstream.port("http"))) {
      Optional<Path> binary = find("nginx");
      if (binary.isPresent()) {
        try (Target nginx = nginx(binary.get(), folder, upstream.port("http"))) {
          measure(rounds, upstream, weir, Optional.of(nginx));
        }
      } else {
        rate.note("no nginx here to compare with; apt install nginx");
        measure(rounds, upstream, weir, Optional.empty());
      }
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    rate.result("gateway-rate-of-straight", MAX, WEIR, STRAIGHT);
    cpu.result("gateway-refused-cheaper-than-forwarded", MAX, REFUSED, WEIR);
    if (rate.has(NGINX, MAX)) {
      rate.result("gateway-rate-of-nginx", MAX, WEIR, NGINX);
      cpu.result("gateway-cpu-of-nginx", MAX, WEIR, NGINX);
      cpu.result("gateway-refused-cpu-of-nginx", MAX, REFUSED, NGINX_REFUSED);
      p99.result("gateway-p99-of-nginx", "p99", WEIR, NGINX);
    }
    if (cpu.median(REFUSED, MAX) >= cpu.median(WEIR, MAX)) {
      cpu.fail("a refused request costs as much as a forwarded one");
    }
    return List.of(rate, cpu, p99);
  }

  private void measure(Rounds rounds, Target upstream, Target weir, Optional<Target> nginx)
      throws IOException {
    warmUp(upstream, "http", "/free", '2');
    warmUp(weir, "gateway", "/free", '2');
    exhaust(weir, "gateway");
    warmUp(weir, "gateway", "/refused", '4');
    if (nginx.isPresent()) {
      exhaust(nginx.get(), NGINX);
    }
    for (int round = 0; round < rounds.count() + 2; round++) {
      closed(STRAIGHT, upstream, "http", "/free", '2', rounds);
      closed(WEIR, weir, "gateway", "/free", '2', rounds);
      closed(REFUSED, weir, "gateway", "/refused", '4', rounds);
      if (nginx.isPresent()) {
        closed(NGINX, nginx.get(), NGINX, "/free", '2', rounds);
        closed(NGINX_REFUSED, nginx.get(), NGINX, "/refused", '4', rounds);
      }
    }
    double same = rate.median(WEIR, MAX) / 2;
    p99.note("offered %.0f requests/s, open loop".formatted(same));
    open(STRAIGHT, upstream, "http", same, rounds);
    open(WEIR, weir, "gateway", same, rounds);
    if (nginx.isPresent()) {
      open(NGINX, nginx.get(), NGINX, same, rounds);
    }
  }

  private static Load load(Target target, String door, String path, char status)
      throws IOException {
    List<Exchange> exchanges = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      exchanges.add(Http1.repeating(REQUEST.formatted(path), status));
    }
    return new Load(target.port(door), exchanges);
  }

  /** Java gets faster as it goes, by the request; on a busy machine not for ever. */
  private static void warmUp(Target target, String door, String path, char status)
      throws IOException {
    try (Load load = load(target, door, path, status)) {
      long sent = 0;
      for (int i = 0; i < MOST_WARM_UPS && sent < WARM_UP_REQUESTS; i++) {
        sent += load.closed(WARM_UP_MILLIS).latencies().count();
      }
    }
  }

  /** Uses up the one permit there is, so that every other request is refused. */
  private static void exhaust(Target target, String door) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), target.port(door))) {
      socket.getOutputStream().write(REQUEST.formatted("/refused").getBytes(US_ASCII));
      if (socket.getInputStream().read() < 0) {
        throw new IOException(door + " did not answer");
      }
    }
  }

  private void closed(
      String row, Target target, String door, String path, char status, Rounds rounds)
      throws IOException {
    try (Load load = load(target, door, path, status)) {
      load.closed(rounds.millis());
      double before = target.cpuMicros();
      Load.Seen seen = load.closed(rounds.millis() * 3);
      double used = target.cpuMicros() - before;
      rate.add(row, MAX, seen.perSecond());
      cpu.add(row, MAX, used / seen.latencies().count());
      System.out.printf("  %s: %.0f requests/s%n", row, seen.perSecond());
    }
  }

  private void open(String row, Target target, String door, double perSecond, Rounds rounds)
      throws IOException {
    try (Load load = load(target, door, "/free", '2')) {
      load.open(1000, perSecond);
      Load.Seen seen = load.open(rounds.quick() ? 5000 : 30_000, perSecond);
      p99.add(row, "p50", seen.latencies().micros(0.5) / 1000);
      p99.add(row, "p99", seen.latencies().micros(0.99) / 1000);
    }
  }

  private static Optional<Path> find(String name) {
    Stream<String> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1));
    return Stream.concat(path, Stream.of("/usr/sbin", "/usr/local/sbin"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Target nginx(Path binary, Path folder, int upstream) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String text =
        NGINX_CONFIG
            .replace("@here@", folder.toString())
            .replace("@upstream@", Integer.toString(upstream))
            .replace("@port@", Integer.toString(port));
    Path config = Files.writeString(folder.resolve("nginx.conf"), text);
    return Target.program(NGINX, port, binary.toString(), "-e", "stderr", "-c", config.toString());
  }
}
