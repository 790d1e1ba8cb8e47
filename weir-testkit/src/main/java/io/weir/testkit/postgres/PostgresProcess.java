package io.weir.testkit.postgres;

import io.weir.testkit.ProcessSignals;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.stream.Stream;

/** A real PostgreSQL server for one test, on a free port. */
public final class PostgresProcess implements AutoCloseable {
  private final Path folder;
  private EmbeddedPostgres server;
  private int databases;

  private PostgresProcess(Path folder) throws IOException {
    this.folder = folder;
    server = builder().start();
  }

  /** Restores the default of PostgreSQL for durability, which the embedded server turns off. */
  private EmbeddedPostgres.Builder builder() {
    return EmbeddedPostgres.builder()
        .setDataDirectory(folder)
        .setCleanDataDirectory(false)
        .setServerConfig("synchronous_commit", "on");
  }

  /** Starts a server with an empty data folder. */
  public static PostgresProcess start() {
    try {
      return new PostgresProcess(Files.createTempDirectory("weir-postgres"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates an empty database and returns its JDBC URL. */
  public String newDatabase() {
    String name = "weir" + ++databases;
    try (Connection connection = server.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return server.getJdbcUrl("postgres", name);
  }

  /** The data folder of the server. */
  public Path folder() {
    return folder;
  }

  /** Suspends the server and all its child processes. */
  public void freeze() {
    ProcessSignals.suspendAll(process());
  }

  /** Resumes the server after {@link #freeze}. */
  public void thaw() {
    ProcessSignals.resumeAll(process());
  }

  /** Kills the server, like a crash. */
  public void kill() {
    ProcessHandle process = process();
    ProcessSignals.suspendAll(process);
    ProcessSignals.kill(process);
  }

  /** Starts the server again on the same port with the same data. */
  public void restart() {
    int port = server.getPort();
    try {
      Files.deleteIfExists(folder.resolve("postmaster.pid"));
      // releases the lock on the folder
      server.close();
      server = builder().setPort(port).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ProcessHandle process() {
    try {
      long pid = Long.parseLong(Files.readAllLines(folder.resolve("postmaster.pid")).get(0));
      return ProcessHandle.of(pid).orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      server.close();
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
