package io.weir.cli.doctor;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether the ports of the server are free, or used by a running Weir node. */
final class ListenerPortsCheck {
  private final ServerConfig config;

  ListenerPortsCheck(ServerConfig config) {
    this.config = config;
  }

  List<DoctorFinding> findings() {
    List<ConfiguredListener> listeners = ConfiguredListener.of(config);
    Optional<LocalNodeProbe> running =
        config.get(ServerSettings.TLS_CERT).isPresent()
            ? Optional.empty()
            : LocalNodeProbe.probe(listeners);
    List<DoctorFinding> all = new ArrayList<>();
    listeners.forEach(listener -> all.add(portFinding(listener, running.isPresent())));
    running.map(LocalNodeProbe::finding).ifPresent(all::add);
    return all;
  }

  private DoctorFinding portFinding(ConfiguredListener listener, boolean nodeRuns) {
    String subject = listener.name() + " port";
    if (listener.isClosed()) {
      return DoctorFinding.ok(subject, "closed");
    }
    int port = listener.port().getAsInt();
    String address = listener.host() + ":" + port;
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(listener.host()), port));
      return DoctorFinding.ok(subject, port == 0 ? "any free port" : address + " is free");
    } catch (IOException e) {
      String reason =
          address
              + " cannot be opened ("
              + FindingFormat.singleLine(String.valueOf(e.getMessage()))
              + ")";
      String help = "set --" + listener.name() + "-port to another port, or off";
      boolean inUse = String.valueOf(e.getMessage()).contains("in use");
      if (inUse && nodeRuns) {
        return DoctorFinding.ok(subject, address + " is in use by a running Weir node");
      }
      return inUse && config.get(ServerSettings.TLS_CERT).isPresent()
          ? DoctorFinding.warning(
              subject, reason + "; with TLS it is unknown whether Weir uses it", help)
          : DoctorFinding.problem(subject, reason, help);
    }
  }
}
