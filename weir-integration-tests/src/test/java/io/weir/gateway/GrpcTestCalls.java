package io.weir.gateway;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A gRPC server with calls of all four kinds, on texts, and a client for them. */
final class GrpcTestCalls implements AutoCloseable {
  static final String SERVICE = "weir.test.Calls";
  static final Metadata.Key<String> REQUEST_FIELD = asciiKey("x-request-field");
  static final MethodDescriptor<String, String> ECHO = method("Echo", MethodType.UNARY);
  static final MethodDescriptor<String, String> FAIL = method("Fail", MethodType.UNARY);
  static final MethodDescriptor<String, String> HANG = method("Hang", MethodType.UNARY);
  static final MethodDescriptor<String, String> FLOOD =
      method("Flood", MethodType.SERVER_STREAMING);
  static final MethodDescriptor<String, String> COUNT =
      method("Count", MethodType.SERVER_STREAMING);
  static final MethodDescriptor<String, String> JOIN = method("Join", MethodType.CLIENT_STREAMING);
  static final MethodDescriptor<String, String> CHAT = method("Chat", MethodType.BIDI_STREAMING);
  static final String FLOOD_MESSAGE = "x".repeat(16 * 1024);

  final CountDownLatch cancelled = new CountDownLatch(1);
  final CountDownLatch hanging = new CountDownLatch(1);
  final AtomicLong floodedBytes = new AtomicLong();
  final AtomicLong answeredCalls = new AtomicLong();
  private final Server server;
  private final String url;

  GrpcTestCalls() {
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(service())
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    url = "http2://127.0.0.1:" + server.getPort();
  }

  static Metadata.Key<String> asciiKey(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  private static MethodDescriptor<String, String> method(String name, MethodType type) {
    return MethodDescriptor.<String, String>newBuilder(new TextMarshaller(), new TextMarshaller())
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setType(type)
        .build();
  }

  private static final class TextMarshaller implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(SERVICE)
        .addMethod(ECHO, ServerCalls.asyncUnaryCall((in, out) -> answer(out, in)))
        .addMethod(FAIL, ServerCalls.asyncUnaryCall((in, out) -> fail(out)))
        .addMethod(HANG, ServerCalls.asyncUnaryCall((in, out) -> hang(out)))
        .addMethod(FLOOD, ServerCalls.asyncServerStreamingCall((in, out) -> flood(out)))
        .addMethod(
            COUNT,
            ServerCalls.asyncServerStreamingCall(
                (in, out) -> {
                  int number = Integer.parseInt(in);
                  for (int i = 0; i < number; i++) {
                    out.onNext("" + i);
                  }
                  answeredCalls.incrementAndGet();
                  out.onCompleted();
                }))
        .addMethod(JOIN, ServerCalls.asyncClientStreamingCall(this::join))
        .addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(this::chat))
        .build();
  }

  private void answer(StreamObserver<String> out, String text) {
    answeredCalls.incrementAndGet();
    out.onNext(text);
    out.onCompleted();
  }

  private static void fail(StreamObserver<String> out) {
    Metadata trailers = new Metadata();
    trailers.put(asciiKey("x-reason"), "tested");
    out.onError(
        Status.FAILED_PRECONDITION.withDescription("50% of ä").asRuntimeException(trailers));
  }

  private void hang(StreamObserver<String> out) {
    ((ServerCallStreamObserver<String>) out).setOnCancelHandler(cancelled::countDown);
    hanging.countDown();
  }

  private void flood(StreamObserver<String> out) {
    ServerCallStreamObserver<String> flow = (ServerCallStreamObserver<String>) out;
    flow.setOnReadyHandler(
        () -> {
          while (flow.isReady()) {
            flow.onNext(FLOOD_MESSAGE);
            floodedBytes.addAndGet(FLOOD_MESSAGE.length());
          }
        });
    flow.setOnCancelHandler(cancelled::countDown);
  }

  private StreamObserver<String> join(StreamObserver<String> out) {
    StringBuilder joined = new StringBuilder();
    return observer(joined::append, () -> answer(out, joined.toString()));
  }

  /** Speaks first, then answers each message. */
  private StreamObserver<String> chat(StreamObserver<String> out) {
    out.onNext("hello");
    return observer(
        text -> out.onNext("re: " + text),
        () -> {
          answeredCalls.incrementAndGet();
          out.onCompleted();
        });
  }

  static StreamObserver<String> observer(
      java.util.function.Consumer<String> onNext, Runnable onCompleted) {
    return new StreamObserver<>() {
      @Override
      public void onNext(String value) {
        onNext.accept(value);
      }

      @Override
      public void onError(Throwable e) {}

      @Override
      public void onCompleted() {
        onCompleted.run();
      }
    };
  }

  String url() {
    return url;
  }

  static ManagedChannel connect(int port) {
    return NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  static String unary(
      io.grpc.Channel channel, MethodDescriptor<String, String> method, String text) {
    return ClientCalls.blockingUnaryCall(channel, method, options(), text);
  }

  private static CallOptions options() {
    return CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  static List<String> serverStream(io.grpc.Channel channel, int number) {
    Iterator<String> parts =
        ClientCalls.blockingServerStreamingCall(channel, COUNT, options(), "" + number);
    List<String> received = new ArrayList<>();
    parts.forEachRemaining(received::add);
    return received;
  }

  static String clientStream(io.grpc.Channel channel, String... parts) {
    StreamCollector collector = new StreamCollector();
    StreamObserver<String> out =
        ClientCalls.asyncClientStreamingCall(channel.newCall(JOIN, options()), collector);
    for (String part : parts) {
      out.onNext(part);
    }
    out.onCompleted();
    return collector.await().get(0);
  }

  /** Sends each message after the answer to the one before. */
  static List<String> chat(io.grpc.Channel channel, String... messages) {
    StreamCollector collector = new StreamCollector();
    StreamObserver<String> out =
        ClientCalls.asyncBidiStreamingCall(channel.newCall(CHAT, options()), collector);
    Iterator<String> rest = List.of(messages).iterator();
    collector.onEach =
        () -> {
          if (rest.hasNext()) {
            out.onNext(rest.next());
          } else {
            out.onCompleted();
          }
        };
    return collector.await();
  }

  /** Collects a stream of responses. */
  private static final class StreamCollector implements StreamObserver<String> {
    private final List<String> received = new ArrayList<>();
    private final CompletableFuture<List<String>> done = new CompletableFuture<>();
    private volatile Runnable onEach = () -> {};

    @Override
    public void onNext(String value) {
      received.add(value);
      onEach.run();
    }

    @Override
    public void onError(Throwable e) {
      done.completeExceptionally(e);
    }

    @Override
    public void onCompleted() {
      done.complete(received);
    }

    List<String> await() {
      try {
        return done.orTimeout(60, TimeUnit.SECONDS).join();
      } catch (java.util.concurrent.CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
