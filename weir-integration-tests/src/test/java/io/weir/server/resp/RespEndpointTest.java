package io.weir.server.resp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import io.weir.server.RunningServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code --resp-port}: {@code CL.THROTTLE} as redis-cell answers it, from a real Redis client. */
class RespEndpointTest {
  private static final String NO_RULES = "rules: []";
  private static final String THROTTLE =
      "*5\r\n$11\r\nCL.THROTTLE\r\n$1\r\n%s\r\n$1\r\n4\r\n$1\r\n1\r\n$2\r\n60\r\n";

  @TempDir Path folder;
  private RunningServer server;

  /** A command that Lettuce does not know. */
  private record ThrottleKeyword() implements ProtocolKeyword {
    @Override
    public byte[] getBytes() {
      return "CL.THROTTLE".getBytes(UTF_8);
    }

    @Override
    @SuppressWarnings("deprecation") // abstract in this version of Lettuce
    public String name() {
      return "CL.THROTTLE";
    }
  }

  @BeforeEach
  void start() {
    server = RunningServer.start(folder, NO_RULES, "resp-port", "0", "request-timeout", "2s");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static List<Long> throttle(
      StatefulRedisConnection<String, String> connection, Object... args) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
    for (Object argument : args) {
      arguments.add(argument.toString());
    }
    return connection
        .sync()
        .dispatch(new ThrottleKeyword(), new IntegerListOutput<>(StringCodec.UTF8), arguments);
  }

  @ParameterizedTest
  @EnumSource(
      value = ProtocolVersion.class,
      names = {"RESP2", "RESP3"})
  void lettuce_getsFiveIntegersAsFromRedisCell(ProtocolVersion version) {
    RedisURI uri = RedisURI.create("redis://user:password@127.0.0.1:" + server.port("resp"));
    try (RedisClient client = RedisClient.create(uri)) {
      client.setOptions(ClientOptions.builder().protocolVersion(version).build());
      StatefulRedisConnection<String, String> connection = client.connect();
      assertThat(connection.sync().ping()).isEqualTo("PONG");
      // 30 in 60 seconds: one comes back every two seconds
      assertThat(throttle(connection, "user", 2, 30, 60)).containsExactly(0L, 3L, 2L, -1L, 2L);
      assertThat(throttle(connection, "user", 2, 30, 60, 0)).containsExactly(0L, 3L, 2L, -1L, 2L);
      assertThat(throttle(connection, "user", 2, 30, 60, 2)).containsExactly(0L, 3L, 0L, -1L, 6L);
      assertThat(throttle(connection, "user", 2, 30, 60)).containsExactly(1L, 3L, 0L, 2L, 6L);
      assertThat(throttle(connection, "user", 2, 30, 60, 9)).containsExactly(1L, 3L, 0L, -1L, 6L);
      assertThat(throttle(connection, "other", 2, 30, 60)).startsWith(0L);
    }
  }

  @Test
  void requestsAboveBurst_areLimited() {
    try (RedisClient client = RedisClient.create("redis://127.0.0.1:" + server.port("resp"))) {
      StatefulRedisConnection<String, String> connection = client.connect();
      int admitted = 0;
      for (int i = 0; i < 40; i++) {
        admitted += throttle(connection, "k", 14, 1, 3600).get(0) == 0 ? 1 : 0;
      }
      assertThat(admitted).isEqualTo(15);
    }
  }

  private String converse(String sent) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("resp"))) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(sent.getBytes(UTF_8));
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void pipelinedCommands_areAnsweredInOrderUntilQuit() throws Exception {
    String sent =
        THROTTLE.formatted("a") + "PING\r\n" + THROTTLE.formatted("a") + "QUIT\r\nPING\r\n";
    assertThat(converse(sent).lines())
        .containsExactly(
            "*5", ":0", ":5", ":4", ":-1", ":60", "+PONG", "*5", ":0", ":5", ":3", ":-1", ":120",
            "+OK");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CL.THROTTLE k 1 1|-ERR wrong number of arguments",
        "CL.THROTTLE k -1 1 1|-ERR max_burst must be an integer from 0 to 1000000000 (was '-1')",
        "CL.THROTTLE k 1 0 1|-ERR count must be an integer from 1",
        "CL.THROTTLE k 1 1 x|-ERR period must be an integer from 1",
        "CL.THROTTLE k 1 1 1 1.5|-ERR quantity must be an integer from 0",
        "CL.THROTTLE k 999999999 1 999999999|-ERR max_burst must be refilled within 10 years",
        "GET k|-ERR unknown command 'GET'",
        "HELLO 4|-NOPROTO",
      })
  void invalidCommand_isErrorAndConnectionStaysOpen(String command, String error) throws Exception {
    assertThat(converse(command + "\r\nPING\r\nQUIT\r\n"))
        .startsWith(error)
        .endsWith("\r\n+PONG\r\n+OK\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "*99999,the number of arguments",
    "*x,the number of arguments",
    "*1\\r\\n$99999999,the length of an argument",
    "*1\\r\\n:1,expected '$'",
  })
  void invalidBytes_areProtocolErrorAndConnectionIsClosed(String bytes, String error)
      throws Exception {
    String sent = bytes.replace("\\r\\n", "\r\n") + "\r\n";
    assertThat(converse("PING\r\n" + sent)).startsWith("+PONG\r\n-ERR Protocol error: " + error);
  }

  @Test
  void randomBytes_neverStopTheEndpoint() throws Exception {
    long seed = Long.getLong("weir.seed", System.nanoTime());
    Random random = new Random(seed);
    String alphabet = "*$+-:0159\r\nCLTHROE. k";
    for (int i = 0; i < 300; i++) {
      StringBuilder text = new StringBuilder();
      for (int k = random.nextInt(60); k >= 0; k--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("resp"))) {
        socket.getOutputStream().write(text.append("\r\n").toString().getBytes(UTF_8));
      }
    }
    assertThat(converse("PING\r\nQUIT\r\n")).as("seed " + seed).isEqualTo("+PONG\r\n+OK\r\n");
  }

  @Test
  void connectionWithoutAnyCommand_isClosedAfterRequestTimeout() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("resp"))) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write("*1\r\n".getBytes(UTF_8));
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }
}
