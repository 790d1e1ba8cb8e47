package io.weir.cli.doctor;

import io.weir.gateway.routing.RouteTarget;
import io.weir.gateway.routing.Upstream;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Checks whether the upstreams of the gateway are reachable. */
final class UpstreamsCheck {
  private static final int CONNECT_TIMEOUT_MILLIS = 2000;

  private final ServerConfig config;

  UpstreamsCheck(ServerConfig config) {
    this.config = config;
  }

  List<DoctorFinding> findings() {
    Set<String> targets = new LinkedHashSet<>();
    config.get(ServerSettings.UPSTREAM).ifPresent(targets::add);
    targets.addAll(config.get(ServerSettings.ROUTES).values());
    return targets.stream()
        .flatMap(target -> RouteTarget.parse(target).upstreams().stream())
        .map(weighted -> upstreamFinding(weighted.upstream()))
        .distinct()
        .toList();
  }

  private static DoctorFinding upstreamFinding(Upstream upstream) {
    String url = upstream.url();
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(upstream.host(), upstream.port()), CONNECT_TIMEOUT_MILLIS);
      return DoctorFinding.ok("upstream", url + " is reachable");
    } catch (IOException e) {
      return DoctorFinding.problem(
          "upstream",
          url + " cannot be reached: " + reason(e),
          "start it, or correct --upstream or --gateway-routes; until then the gateway answers 502");
    }
  }

  private static String reason(IOException failure) {
    if (failure instanceof UnknownHostException) {
      return "unknown host";
    }
    return failure instanceof SocketTimeoutException
        ? "no response within " + CONNECT_TIMEOUT_MILLIS / 1000 + " s"
        : String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
  }
}
