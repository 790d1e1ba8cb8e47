package io.weir.cli.doctor;

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

/** Checks the validity of the TLS certificate, if one is configured. */
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
          DoctorFinding.problem(
              "tls", "needs a certificate and a key", "set --tls-cert and --tls-key"));
    }
    return file.map(this::checkValidity);
  }

  private DoctorFinding checkValidity(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      X509Certificate first =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      Instant now = Instant.EPOCH.plus(wall.micros(), ChronoUnit.MICROS);
      Instant end = first.getNotAfter().toInstant();
      String renew = "renew it, then restart the server";
      if (end.isBefore(now) || first.getNotBefore().toInstant().isAfter(now)) {
        return DoctorFinding.problem("tls", file + " is not valid now; it ends on " + end, renew);
      }
      return end.isBefore(now.plus(EXPIRY_WARNING_TIME))
          ? DoctorFinding.warning("tls", file + " is valid only until " + end, renew)
          : DoctorFinding.ok("tls", file + " is valid until " + end);
    } catch (IOException | CertificateException e) {
      return DoctorFinding.problem(
          "tls", file + " contains no readable certificate", "use a PEM file");
    }
  }
}
