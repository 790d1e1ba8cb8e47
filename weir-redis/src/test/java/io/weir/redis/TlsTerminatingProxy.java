package io.weir.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Terminates TLS with a self-signed certificate and forwards connections to a loopback port. */
final class TlsTerminatingProxy implements AutoCloseable {
  private static final String PASSWORD = "changeit";

  private final ServerSocket server;
  private final int backend;
  private final Queue<Socket> openSockets = new ConcurrentLinkedQueue<>();

  TlsTerminatingProxy(Path folder, int backend) throws Exception {
    this.backend = backend;
    server =
        createSslContext(folder)
            .getServerSocketFactory()
            .createServerSocket(0, 0, InetAddress.getLoopbackAddress());
    startThread(this::acceptConnections);
  }

  int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : openSockets) {
      socket.close();
    }
  }

  private void acceptConnections() throws IOException {
    while (!server.isClosed()) {
      Socket client = server.accept();
      Socket redis = new Socket(InetAddress.getLoopbackAddress(), backend);
      openSockets.add(client);
      openSockets.add(redis);
      startThread(() -> forward(client, redis));
      startThread(() -> forward(redis, client));
    }
  }

  private static void forward(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      byte[] buffer = new byte[1 << 14];
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        out.write(buffer, 0, n);
        out.flush();
      }
    }
  }

  private interface IoTask {
    void run() throws IOException;
  }

  private static void startThread(IoTask task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                Thread.currentThread().interrupt(); // either side closed the connection
              }
            },
            "tls-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static SSLContext createSslContext(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    String printed = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IllegalStateException(printed);
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
  }
}
