package io.weir.server.doctor;

import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import io.weir.store.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Looks at the certificate of the doors, if they have one: for how long it is good. */
final class CertificateExam {
  private static final Duration SOON = Duration.ofDays(14);

  private final Config config;
  private final Clock wall;

  CertificateExam(Config config, Clock wall) {
    this.config = config;
    this.wall = wall;
  }

  Optional<Finding> finding() {
    Optional<Path> file = config.get(Settings.TLS_CERT);
    if (file.isPresent() != config.get(Settings.TLS_KEY).isPresent()) {
      return Optional.of(
          Finding.problem("tls", "has one of two files", "write --tls-cert and --tls-key"));
    }
    return file.map(this::certificate);
  }

  private Finding certificate(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      X509Certificate first =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      Instant now = Instant.EPOCH.plus(wall.micros(), ChronoUnit.MICROS);
      Instant end = first.getNotAfter().toInstant();
      String renew = "renew it, then start the server again";
      if (end.isBefore(now) || first.getNotBefore().toInstant().isAfter(now)) {
        return Finding.problem("tls", file + " is not good now, but until " + end, renew);
      }
      return end.isBefore(now.plus(SOON))
          ? Finding.warning("tls", file + " is good until " + end + " only", renew)
          : Finding.ok("tls", file + " is good until " + end);
    } catch (IOException | CertificateException e) {
      return Finding.problem(
          "tls", file + " holds no certificate that can be read", "write one in PEM");
    }
  }
}
