package io.weir.server.doctor;

import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at the doors: whether their ports can be had, or a Weir has them already. */
final class DoorsExam {
  private final Config config;

  DoorsExam(Config config) {
    this.config = config;
  }

  List<Finding> findings() {
    List<PlannedDoor> doors = PlannedDoor.of(config);
    Optional<RunningNode> running =
        config.get(Settings.TLS_CERT).isPresent() ? Optional.empty() : RunningNode.behind(doors);
    List<Finding> all = new ArrayList<>();
    doors.forEach(door -> all.add(port(door, running.isPresent())));
    running.map(RunningNode::finding).ifPresent(all::add);
    return all;
  }

  private Finding port(PlannedDoor door, boolean weirRuns) {
    String subject = door.name() + " port";
    if (door.isClosed()) {
      return Finding.ok(subject, "closed");
    }
    int port = door.port().getAsInt();
    String place = door.host() + ":" + port;
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(door.host()), port));
      return Finding.ok(subject, port == 0 ? "any that is free" : place + " is free");
    } catch (IOException e) {
      String why = place + " cannot be had (" + Shown.line(String.valueOf(e.getMessage())) + ")";
      String help = "write --" + door.name() + "-port with another one, or off";
      boolean taken = String.valueOf(e.getMessage()).contains("in use");
      if (taken && weirRuns) {
        return Finding.ok(subject, place + " is in use, as a Weir runs here");
      }
      return taken && config.get(Settings.TLS_CERT).isPresent()
          ? Finding.warning(subject, why + "; whether by Weir is not told over TLS", help)
          : Finding.problem(subject, why, help);
    }
  }
}
