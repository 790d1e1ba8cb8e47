package io.weir.server.cli;

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

/** Whom a command trusts over TLS, where it is not the authorities that the JDK knows. */
final class TrustedCertificates {

  private TrustedCertificates() {}

  /** Trust in the certificates of a file. */
  static SSLContext sslContext(Path pem) {
    try (InputStream in = Files.newInputStream(pem)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int count = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("trusted-" + count++, one);
      }
      if (count == 0) {
        throw new CommandException(pem + " holds no certificate; write one in PEM");
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new CommandException(pem + " cannot be read; write the path of a file that can", e);
    } catch (GeneralSecurityException e) {
      throw new CommandException(pem + " holds no certificate; write one in PEM", e);
    }
  }
}
