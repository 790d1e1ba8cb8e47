package io.weir.server.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import io.weir.server.RunningServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 100,000 damaged bodies: each gets a response, never a 500, and only allowed ones are charged. */
class DecisionApiFuzzTest {
  private static final int BODIES = 100_000;
  private static final int PIPELINED_REQUESTS = 500;
  private static final String RULES =
      "rules: [{id: all, per: [], limit: 100000000000/day, algorithm: fixed-window}]";
  private static final String[] SEEDS = {
    "{\"attributes\":{\"user\":\"42\",\"endpoint\":\"GET /v1/orders\"},\"cost\":1}",
    "{\"cost\":12,\"attributes\":{}}",
    "{\"attributes\":{\"a\":\"\\u00e9\\n\\ud83d\\ude00\",\"b\":\"\"}}",
    "{\"attributes\":{\"user\":\"1\"},\"cost\":9007199254740992}"
  };
  private static final String ALPHABET =
      "{}[]\":,\\0123456789.-+eEtrufalsn \t\r\n\u0000\u0001\u007f\u00ff";

  @TempDir Path folder;

  @Test
  void damagedBodies_areAnsweredAndOnlyAllowedOnesCharged() throws IOException {
    long seed = Long.getLong("weir.seed", System.nanoTime());
    Random random = new Random(seed);
    Map<Integer, Integer> statuses = new TreeMap<>();
    try (RunningServer server = RunningServer.start(folder, RULES);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port("http"))) {
      socket.setSoTimeout(60_000);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      long left = 100_000_000_000L;
      for (int sent = 0; sent < BODIES; sent += PIPELINED_REQUESTS) {
        socket.getOutputStream().write(requests(random));
        for (int i = 0; i < PIPELINED_REQUESTS; i++) {
          PipelinedResponse answer = PipelinedResponse.read(in);
          statuses.merge(answer.status(), 1, Integer::sum);
          JsonObject body = new JsonObject(answer.body());
          if (answer.status() == 200) {
            left = body.getJsonArray("rules").getJsonObject(0).getLong("remaining");
          } else {
            assertThat(answer.status()).as("seed %d: %s", seed, answer.body()).isIn(400, 429);
            assertThat(body.getString("error")).isNotEmpty();
          }
        }
      }
      JsonObject peeked = new JsonObject(server.post("/v1/peek", "{\"attributes\":{}}").body());
      long now = peeked.getJsonArray("rules").getJsonObject(0).getLong("remaining");
      assertThat(now).as("left, seed " + seed).isEqualTo(left);
    }
    System.out.println("fuzzed bodies by status: " + statuses);
    assertThat(statuses.get(400)).isGreaterThan(BODIES / 10);
    assertThat(statuses.get(200)).isGreaterThan(BODIES / 100);
  }

  private static byte[] requests(Random random) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < PIPELINED_REQUESTS; i++) {
      byte[] body = damagedBody(random);
      String head =
          "POST /v1/check HTTP/1.1\r\nHost: h\r\nContent-Length: " + body.length + "\r\n\r\n";
      out.write(head.getBytes(ISO_8859_1));
      out.write(body);
    }
    return out.toByteArray();
  }

  private static byte[] damagedBody(Random random) {
    StringBuilder text = new StringBuilder(SEEDS[random.nextInt(SEEDS.length)]);
    for (int n = random.nextInt(4); n > 0 && text.length() > 0; n--) {
      int at = random.nextInt(text.length());
      char any = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
      switch (random.nextInt(6)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.insert(at, any);
        case 2 -> text.setCharAt(at, any);
        case 3 -> text.setLength(at);
        case 4 -> text.insert(at, String.valueOf(any).repeat(random.nextInt(1_500)));
        default -> text.insert(at, text.substring(at, Math.min(text.length(), at + 20)));
      }
    }
    return text.toString().getBytes(ISO_8859_1);
  }

  /** One response, read from a connection with pipelined requests. */
  private record PipelinedResponse(int status, String body) {
    static PipelinedResponse read(InputStream in) throws IOException {
      int status = Integer.parseInt(readLine(in).split(" ", 3)[1]);
      int length = 0;
      for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          length = Integer.parseInt(line.substring(15).trim());
        }
      }
      return new PipelinedResponse(status, new String(in.readNBytes(length), ISO_8859_1));
    }

    private static String readLine(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          throw new IOException("the connection ended after " + line);
        }
        line.append((char) c);
      }
      return line.toString().stripTrailing();
    }
  }
}
