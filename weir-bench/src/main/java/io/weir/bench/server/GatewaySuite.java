package io.weir.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.bench.report.BenchmarkSuite;
import io.weir.bench.report.MeasurementPlan;
import io.weir.bench.report.ResultTable;
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
 * The suite of {@code ./bench gateway}: the gateway under load from another process, compared with
 * direct load on the upstream and with nginx and {@code limit_req}.
 */
public final class GatewaySuite implements BenchmarkSuite {
  private static final int IN_FLIGHT = 64;
  private static final long WARM_UP_REQUESTS = 250_000;
  private static final int MAX_WARM_UPS = 12;
  private static final long WARM_UP_MILLIS = 3_000;
  private static final String COLUMN = "64 at once";
  private static final String WEIR = "weir";
  private static final String REFUSED = "weir, refused";
  private static final String NGINX = "nginx";
  private static final String NGINX_REFUSED = "nginx, refused";
  private static final String DIRECT = "straight";
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

  private final ResultTable rate =
      ResultTable.higherIsBetter("As fast as answers come", "requests/s");
  private final ResultTable cpu = ResultTable.lowerIsBetter("CPU of the proxy", "µs per request");
  private final ResultTable p99 = ResultTable.lowerIsBetter("At one rate for all", "ms");

  @Override
  public List<ResultTable> measure(MeasurementPlan rounds) throws Exception {
    Path folder = Files.createTempDirectory("weir-bench");
    Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
    try (ServerUnderTest upstream = ServerUnderTest.startBareServer();
        ServerUnderTest weir = ServerUnderTest.startGateway(rules, folder, upstream.port("http"))) {
      Optional<Path> binary = findExecutable("nginx");
      if (binary.isPresent()) {
        try (ServerUnderTest nginx = startNginx(binary.get(), folder, upstream.port("http"))) {
          measure(rounds, upstream, weir, Optional.of(nginx));
        }
      } else {
        rate.addNote("nginx not found, comparison skipped; apt install nginx");
        measure(rounds, upstream, weir, Optional.empty());
      }
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
    rate.addResult("gateway-rate-of-straight", COLUMN, WEIR, DIRECT);
    cpu.addResult("gateway-refused-cheaper-than-forwarded", COLUMN, REFUSED, WEIR);
    if (rate.hasValues(NGINX, COLUMN)) {
      rate.addResult("gateway-rate-of-nginx", COLUMN, WEIR, NGINX);
      cpu.addResult("gateway-cpu-of-nginx", COLUMN, WEIR, NGINX);
      cpu.addResult("gateway-refused-cpu-of-nginx", COLUMN, REFUSED, NGINX_REFUSED);
      p99.addResult("gateway-p99-of-nginx", "p99", WEIR, NGINX);
    }
    if (cpu.median(REFUSED, COLUMN) >= cpu.median(WEIR, COLUMN)) {
      cpu.addFailure("a refused request costs as much as a forwarded one");
    }
    return List.of(rate, cpu, p99);
  }

  private void measure(
      MeasurementPlan rounds,
      ServerUnderTest upstream,
      ServerUnderTest weir,
      Optional<ServerUnderTest> nginx)
      throws IOException {
    warmUp(upstream, "http", "/free", '2');
    warmUp(weir, "gateway", "/free", '2');
    exhaust(weir, "gateway");
    warmUp(weir, "gateway", "/refused", '4');
    if (nginx.isPresent()) {
      exhaust(nginx.get(), NGINX);
    }
    for (int round = 0; round < rounds.rounds() + 2; round++) {
      measureClosedLoop(DIRECT, upstream, "http", "/free", '2', rounds);
      measureClosedLoop(WEIR, weir, "gateway", "/free", '2', rounds);
      measureClosedLoop(REFUSED, weir, "gateway", "/refused", '4', rounds);
      if (nginx.isPresent()) {
        measureClosedLoop(NGINX, nginx.get(), NGINX, "/free", '2', rounds);
        measureClosedLoop(NGINX_REFUSED, nginx.get(), NGINX, "/refused", '4', rounds);
      }
    }
    double same = rate.median(WEIR, COLUMN) / 2;
    p99.addNote("offered %.0f requests/s, open loop".formatted(same));
    measureOpenLoop(DIRECT, upstream, "http", same, rounds);
    measureOpenLoop(WEIR, weir, "gateway", same, rounds);
    if (nginx.isPresent()) {
      measureOpenLoop(NGINX, nginx.get(), NGINX, same, rounds);
    }
  }

  private static ConnectionLoad load(
      ServerUnderTest target, String listener, String path, char status) throws IOException {
    List<ClientProtocol> exchanges = new ArrayList<>();
    for (int i = 0; i < IN_FLIGHT; i++) {
      exchanges.add(Http1Protocol.repeating(REQUEST.formatted(path), status));
    }
    return new ConnectionLoad(target.port(listener), exchanges);
  }

  /** Warms up the JIT by a number of requests, with a time limit for busy machines. */
  private static void warmUp(ServerUnderTest target, String listener, String path, char status)
      throws IOException {
    try (ConnectionLoad load = load(target, listener, path, status)) {
      long sent = 0;
      for (int i = 0; i < MAX_WARM_UPS && sent < WARM_UP_REQUESTS; i++) {
        sent += load.runClosedLoop(WARM_UP_MILLIS).latencies().count();
      }
    }
  }

  /** Takes the only permit, so that all further requests are refused. */
  private static void exhaust(ServerUnderTest target, String listener) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), target.port(listener))) {
      socket.getOutputStream().write(REQUEST.formatted("/refused").getBytes(US_ASCII));
      if (socket.getInputStream().read() < 0) {
        throw new IOException(listener + " did not answer");
      }
    }
  }

  private void measureClosedLoop(
      String row,
      ServerUnderTest target,
      String listener,
      String path,
      char status,
      MeasurementPlan rounds)
      throws IOException {
    try (ConnectionLoad load = load(target, listener, path, status)) {
      load.runClosedLoop(rounds.iterationMillis());
      double before = target.cpuMicros();
      ConnectionLoad.LoadMeasurement measured = load.runClosedLoop(rounds.iterationMillis() * 3);
      double used = target.cpuMicros() - before;
      rate.add(row, COLUMN, measured.perSecond());
      cpu.add(row, COLUMN, used / measured.latencies().count());
      System.out.printf("  %s: %.0f requests/s%n", row, measured.perSecond());
    }
  }

  private void measureOpenLoop(
      String row, ServerUnderTest target, String listener, double perSecond, MeasurementPlan rounds)
      throws IOException {
    try (ConnectionLoad load = load(target, listener, "/free", '2')) {
      load.runOpenLoop(1000, perSecond);
      ConnectionLoad.LoadMeasurement measured =
          load.runOpenLoop(rounds.isQuick() ? 5000 : 30_000, perSecond);
      p99.add(row, "p50", measured.latencies().percentileMicros(0.5) / 1000);
      p99.add(row, "p99", measured.latencies().percentileMicros(0.99) / 1000);
    }
  }

  private static Optional<Path> findExecutable(String name) {
    Stream<String> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1));
    return Stream.concat(path, Stream.of("/usr/sbin", "/usr/local/sbin"))
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static ServerUnderTest startNginx(Path binary, Path folder, int upstream)
      throws IOException {
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
    return ServerUnderTest.startProgram(
        NGINX, port, binary.toString(), "-e", "stderr", "-c", config.toString());
  }
}
