package io.weir.server.doctor;

import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
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
final class CertificateCheck {
  private static final Duration EXPIRY_WARNING_TIME = Duration.ofDays(14);

  private final ServerConfig config;
  private final Clock wall;

  CertificateCheck(ServerConfig config, Clock wall) {
    this.config = config;
    this.wall = wall;
  }

  Optional<DoctorFinding> finding() {
    Optional<Path> file = config.get(ServerSettings.TLS_CERT);
    if (file.isPresent() != config.get(ServerSettings.TLS_KEY).isPresent()) {
      return Optional.of(
          DoctorFinding.problem("tls", "has one of two files", "write --tls-cert and --tls-key"));
    }
    return file.map(this::checkValidity);
  }

  private DoctorFinding checkValidity(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      X509Certificate first =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      Instant now = Instant.EPOCH.plus(wall.micros(), ChronoUnit.MICROS);
      Instant end = first.getNotAfter().toInstant();
      String renew = "renew it, then start the server again";
      if (end.isBefore(now) || first.getNotBefore().toInstant().isAfter(now)) {
        return DoctorFinding.problem("tls", file + " is not good now, but until " + end, renew);
      }
      return end.isBefore(now.plus(EXPIRY_WARNING_TIME))
          ? DoctorFinding.warning("tls", file + " is good until " + end + " only", renew)
          : DoctorFinding.ok("tls", file + " is good until " + end);
    } catch (IOException | CertificateException e) {
      return DoctorFinding.problem(
          "tls", file + " holds no certificate that can be read", "write one in PEM");
    }
  }
}
