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

/** One real PostgreSQL server of a test's own, on a free port. */
public final class PostgresProcess implements AutoCloseable {
  private final Path folder;
  private EmbeddedPostgres server;
  private int databases;

  private PostgresProcess(Path folder) throws IOException {
    this.folder = folder;
    server = builder().start();
  }

  /** With the default of PostgreSQL itself, which the embedded one turns off. */
  private EmbeddedPostgres.Builder builder() {
    return EmbeddedPostgres.builder()
        .setDataDirectory(folder)
        .setCleanDataDirectory(false)
        .setServerConfig("synchronous_commit", "on");
  }

  public static PostgresProcess start() {
    try {
      return new PostgresProcess(Files.createTempDirectory("weir-postgres"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of an empty database. */
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

  /** Where it keeps all its files. */
  public Path folder() {
    return folder;
  }

  /** Stops it and all that belongs to it in their tracks. */
  public void freeze() {
    ProcessSignals.suspendAll(process());
  }

  public void thaw() {
    ProcessSignals.resumeAll(process());
  }

  /** Ends it as a crash would. */
  public void kill() {
    ProcessHandle process = process();
    ProcessSignals.suspendAll(process);
    ProcessSignals.kill(process);
  }

  /** Starts it again on the same port with the same files. */
  public void restart() {
    int port = server.getPort();
    try {
      Files.deleteIfExists(folder.resolve("postmaster.pid"));
      // gives up the lock on the folder
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
