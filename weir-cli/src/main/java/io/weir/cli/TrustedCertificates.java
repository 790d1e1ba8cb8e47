package io.weir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Creates the TLS context for {@code --ca}: trusts the given certificates instead of the JDK's. */
final class TrustedCertificates {

  private TrustedCertificates() {}

  /** Returns a TLS context that trusts the certificates of a PEM file. */
  static SSLContext sslContext(Path pem) {
    try (InputStream in = Files.newInputStream(pem)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("trusted-" + count++, certificate);
      }
      if (count == 0) {
        throw new CommandException(pem + " contains no certificate; use a PEM file");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new CommandException(pem + " cannot be read; use the path of a readable file", e);
    } catch (GeneralSecurityException e) {
      throw new CommandException(pem + " contains no certificate; use a PEM file", e);
    }
  }
}
