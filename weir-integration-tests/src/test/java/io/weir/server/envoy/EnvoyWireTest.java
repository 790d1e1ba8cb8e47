package io.weir.server.envoy;

import static io.weir.server.envoy.EnvoyRequests.descriptor;
import static io.weir.server.envoy.EnvoyRequests.request;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.testkit.RandomHistory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** After any input to the port, the service still answers the next call. */
@Tag("slow")
class EnvoyWireTest {
  private static final String METHOD =
      "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1);
  private static final byte[] VALID_CALL = request(descriptor("user", "alice")).toByteArray();
  private static final int RANDOM_CONNECTIONS = 2000;
  private static final int RANDOM_MESSAGES = 8000;

  private static RunningRateLimitService service;

  @BeforeAll
  static void open() {
    service =
        new RunningRateLimitService(
            Weir.inMemory(Rule.named("api").per("user").limit("9/day").build()));
  }

  @AfterAll
  static void close() {
    service.close();
  }

  @AfterEach
  void assertStillAnswers() {
    RateLimitResponse answer = service.call(request(descriptor("ip", "10.0.0.1")));
    assertThat(answer.getOverallCode()).isEqualTo(RateLimitResponse.Code.OK);
  }

  @Test
  void undecodableBytes_areInvalid() {
    assertThat(statusOf(METHOD, new byte[] {(byte) 0xFF, (byte) 0xFF}))
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(statusOf(METHOD, new byte[] {0x0A, 0x02, (byte) 0xC3, 0x28}))
        .as("a domain that is not UTF-8")
        .isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(statusOf(METHOD, new byte[0])).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void unknownMethod_isUnimplemented() {
    assertThat(statusOf("envoy.service.ratelimit.v3.RateLimitService/Nothing", VALID_CALL))
        .isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(statusOf("nothing.Service/ShouldRateLimit", VALID_CALL))
        .isEqualTo(Status.Code.UNIMPLEMENTED);
  }

  @Test
  void callWithoutMessage_isInvalid() throws Exception {
    CompletableFuture<byte[]> response = new CompletableFuture<>();
    ClientCalls.asyncClientStreamingCall(
            service.channel.newCall(method(METHOD, MethodType.CLIENT_STREAMING), longDeadline()),
            new StreamObserver<byte[]>() {
              @Override
              public void onNext(byte[] value) {
                response.complete(value);
              }

              @Override
              public void onError(Throwable t) {
                response.completeExceptionally(t);
              }

              @Override
              public void onCompleted() {}
            })
        .onCompleted();
    assertThat(response)
        .failsWithin(30, TimeUnit.SECONDS)
        .withThrowableThat()
        .withMessageContaining("INVALID_ARGUMENT");
  }

  @Test
  void http1Request_isRejected() throws IOException {
    String answer =
        sendRaw("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(ISO_8859_1));
    assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*");
    String posted =
        sendRaw(
            ("POST /"
                    + METHOD
                    + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/grpc\r\n"
                    + "Content-Length: 5\r\nConnection: close\r\n\r\n\0\0\0\0\0")
                .getBytes(ISO_8859_1));
    assertThat(posted).matches("(?s)HTTP/1.1 4\\d\\d .*");
  }

  @Test
  void randomBytes_endOnlyTheirConnection() throws IOException {
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    for (int i = 0; i < RANDOM_CONNECTIONS; i++) {
      byte[] bytes = new byte[random.nextInt(200)];
      random.nextBytes(bytes);
      try (Socket socket = connect()) {
        if (random.nextBoolean()) {
          socket.getOutputStream().write(PREFACE);
        }
        socket.getOutputStream().write(bytes);
        if (i % 100 == 0) {
          assertStillAnswers();
        }
      } catch (SocketException e) {
        assertThat(e).as("-Dweir.seed=" + seed).hasMessageMatching(".*(reset|[Bb]roken pipe).*");
      }
    }
  }

  @Test
  void randomMessages_areAnsweredOrRejected() {
    long seed = RandomHistory.seed();
    Random random = new Random(seed);
    Set<Status.Code> seen = EnumSet.noneOf(Status.Code.class);
    for (int i = 0; i < RANDOM_MESSAGES; i++) {
      byte[] bytes;
      if (random.nextBoolean()) {
        bytes = VALID_CALL.clone();
        for (int k = random.nextInt(4); k >= 0; k--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
      } else {
        bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
      }
      seen.add(statusOf(METHOD, bytes));
    }
    assertThat(seen)
        .as("-Dweir.seed=" + seed)
        .containsExactlyInAnyOrder(Status.Code.OK, Status.Code.INVALID_ARGUMENT);
  }

  private static Status.Code statusOf(String method, byte[] message) {
    try {
      var unused =
          ClientCalls.blockingUnaryCall(
              service.channel, method(method, MethodType.UNARY), longDeadline(), message);
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }

  private static CallOptions longDeadline() {
    return CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.newBuilder(ByteArrayMarshaller.INSTANCE, ByteArrayMarshaller.INSTANCE)
        .setType(type)
        .setFullMethodName(name)
        .build();
  }

  private static String sendRaw(byte[] sent) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(sent);
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("no answer, and the connection stays open", e);
    }
  }

  private static Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** Passes messages as bytes. */
  private enum ByteArrayMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    INSTANCE;

    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
