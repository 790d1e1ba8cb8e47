package io.weir.server.doctor;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at the doors: whether their ports can be had, or a Weir has them already. */
final class ListenerPortsCheck {
  private final ServerConfig config;

  ListenerPortsCheck(ServerConfig config) {
    this.config = config;
  }

  List<DoctorFinding> findings() {
    List<ConfiguredListener> doors = ConfiguredListener.of(config);
    Optional<LocalNodeProbe> running =
        config.get(ServerSettings.TLS_CERT).isPresent()
            ? Optional.empty()
            : LocalNodeProbe.probe(doors);
    List<DoctorFinding> all = new ArrayList<>();
    doors.forEach(door -> all.add(portFinding(door, running.isPresent())));
    running.map(LocalNodeProbe::finding).ifPresent(all::add);
    return all;
  }

  private DoctorFinding portFinding(ConfiguredListener door, boolean weirRuns) {
    String subject = door.name() + " port";
    if (door.isClosed()) {
      return DoctorFinding.ok(subject, "closed");
    }
    int port = door.port().getAsInt();
    String place = door.host() + ":" + port;
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(door.host()), port));
      return DoctorFinding.ok(subject, port == 0 ? "any that is free" : place + " is free");
    } catch (IOException e) {
      String why =
          place
              + " cannot be had ("
              + FindingFormat.singleLine(String.valueOf(e.getMessage()))
              + ")";
      String help = "write --" + door.name() + "-port with another one, or off";
      boolean taken = String.valueOf(e.getMessage()).contains("in use");
      if (taken && weirRuns) {
        return DoctorFinding.ok(subject, place + " is in use, as a Weir runs here");
      }
      return taken && config.get(ServerSettings.TLS_CERT).isPresent()
          ? DoctorFinding.warning(subject, why + "; whether by Weir is not told over TLS", help)
          : DoctorFinding.problem(subject, why, help);
    }
  }
}
