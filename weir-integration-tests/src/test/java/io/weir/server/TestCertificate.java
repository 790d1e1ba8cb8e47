package io.weir.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for localhost with its key, as PEM files, created by {@code keytool}.
 *
 * @param keyStore the PKCS12 file that contains both
 */
record TestCertificate(Path cert, Path key, Path keyStore) {
  private static final String PASSWORD = "password";

  static TestCertificate create(Path folder) {
    Path store = folder.resolve("test.p12");
    try {
      runKeytool(
          "-genkeypair -alias weir -keyalg EC -groupname secp256r1 -dname CN=localhost -validity 2"
              + " -ext san=dns:localhost,ip:127.0.0.1 -storetype PKCS12 -keystore "
              + store);
      KeyStore keys = load(store);
      Path cert = writePem(folder, "CERTIFICATE", keys.getCertificate("weir").getEncoded());
      Path key =
          writePem(folder, "PRIVATE KEY", keys.getKey("weir", PASSWORD.toCharArray()).getEncoded());
      return new TestCertificate(cert, key, store);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The TLS context of a server with this certificate. */
  SSLContext serverContext() {
    try {
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(load(keyStore), PASSWORD.toCharArray());
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The TLS context of a client that trusts only this certificate. */
  SSLContext trustingContext() {
    try {
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      KeyStore only = KeyStore.getInstance("PKCS12");
      only.load(null, null);
      only.setCertificateEntry("weir", load(keyStore).getCertificate("weir"));
      trust.init(only);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore load(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static Path writePem(Path folder, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    String whole = "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
    return Files.writeString(folder.resolve(kind.replace(' ', '-') + ".pem"), whole, US_ASCII);
  }

  private static void runKeytool(String arguments) throws IOException {
    String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    String[] words = (tool + " " + arguments + " -storepass " + PASSWORD).split(" ", -1);
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      String printed = new String(process.getInputStream().readAllBytes(), US_ASCII);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(printed);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
