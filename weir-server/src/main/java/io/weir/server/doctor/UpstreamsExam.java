package io.weir.server.doctor;

import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.server.gateway.Upstream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Whether the gateway would find those it forwards to. */
final class UpstreamsExam {
  private static final int PATIENCE_MS = 2000;

  private final Config config;

  UpstreamsExam(Config config) {
    this.config = config;
  }

  List<Finding> findings() {
    Set<String> urls = new LinkedHashSet<>();
    config.get(Settings.UPSTREAM).ifPresent(urls::add);
    urls.addAll(config.get(Settings.ROUTES).values());
    return urls.stream().map(UpstreamsExam::finding).toList();
  }

  private static Finding finding(String url) {
    try (Socket socket = new Socket()) {
      Upstream upstream = Upstream.parse(url);
      socket.connect(new InetSocketAddress(upstream.host(), upstream.port()), PATIENCE_MS);
      return Finding.ok("upstream", url + " can be reached");
    } catch (IllegalArgumentException e) {
      return Finding.problem("upstream", String.valueOf(e.getMessage()), "correct it");
    } catch (IOException e) {
      return Finding.problem(
          "upstream",
          url + " cannot be reached: " + reason(e),
          "start it, or correct --upstream or --gateway-routes; until then the gateway answers 502");
    }
  }

  private static String reason(IOException failure) {
    if (failure instanceof UnknownHostException) {
      return "nobody knows its name";
    }
    return failure instanceof SocketTimeoutException
        ? "no answer in " + PATIENCE_MS / 1000 + " s"
        : String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
  }
}
