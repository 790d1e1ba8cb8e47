package io.weir.server.rls;

import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RlsProto;
import io.netty.channel.Channel;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.reflection.ReflectionService;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import io.vertx.grpc.server.Service;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.metrics.DecisionMetrics;
import io.weir.server.web.DecisionHandler;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Envoy's door: its rate limit service, with gRPC health and reflection. Nothing in it waits on an
 * event loop.
 */
public final class EnvoyRateLimitService {
  private static final long MAX_MESSAGE_BYTES = 256 * 1024;
  private static final String IDENTITY_ENCODING = "identity";
  private static final int MAX_STREAMS = 1000;
  private static final int MAX_RESETS_PER_SECOND = 5000;

  private static final ServiceName NAME =
      ServiceName.create("envoy.service.ratelimit.v3.RateLimitService");

  private static final GrpcMessageDecoder<RateLimitRequest> DECODER =
      GrpcMessageDecoder.decoder(RateLimitRequest.getDefaultInstance());

  private static final ServiceMethod<RateLimitRequest, RateLimitResponse> SHOULD_RATE_LIMIT =
      ServiceMethod.server(NAME, "ShouldRateLimit", GrpcMessageEncoder.encoder(), DECODER);

  private final Vertx vertx;
  private final DescriptorDecider decider;
  private final RateLimitResponseBuilder responseBuilder;
  private final DecisionMetrics metrics;
  private final EnvoyServiceOptions serviceOptions;

  /** Envoy's many classes are read here and not on an event loop, which they would block. */
  private final ServiceDescriptor service =
      RlsProto.getDescriptor().findServiceByName("RateLimitService");

  public EnvoyRateLimitService(
      Vertx vertx, Limiter limiter, DecisionMetrics metrics, EnvoyServiceOptions settings) {
    this.vertx = vertx;
    this.metrics = metrics;
    this.serviceOptions = settings;
    decider = new DescriptorDecider(limiter);
    responseBuilder = new RateLimitResponseBuilder(settings.includeHeaders());
  }

  /**
   * How the door behaves.
   *
   * @param includeHeaders whether callers are told of their limits in header fields
   * @param storeFailureMode what Envoy is told where the store is silent
   * @param serving whether the service is healthy
   */
  public record EnvoyServiceOptions(
      boolean includeHeaders, EnvoyStoreFailureMode storeFailureMode, BooleanSupplier serving) {}

  /** Handles all that comes to the port, on one event loop. */
  public Handler<HttpServerRequest> handler() {
    GrpcServerOptions options = new GrpcServerOptions().setMaxMessageSize(MAX_MESSAGE_BYTES);
    for (GrpcProtocol protocol : GrpcProtocol.values()) {
      if (protocol != GrpcProtocol.HTTP_2) {
        options.removeEnabledProtocol(protocol);
      }
    }
    return GrpcServer.server(vertx, options)
        .addService(
            Service.service(NAME, service).bind(SHOULD_RATE_LIMIT, this::handleCall).build())
        .addService(
            new GrpcHealthService(vertx, NAME.fullyQualifiedName(), serviceOptions.serving())
                .service())
        .addService(ReflectionService.v1());
  }

  /** Sets what this door needs otherwise than others do. */
  public static HttpServerOptions configure(HttpServerOptions options) {
    options.getInitialSettings().setMaxConcurrentStreams(MAX_STREAMS);
    // Envoy resets each call that outlasts its timeout; a store that is slow is no attack
    return options
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS_PER_SECOND)
        .setHttp2RstFloodWindowDuration(1)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
  }

  private void handleCall(GrpcServerRequest<RateLimitRequest, RateLimitResponse> call) {
    EnvoyCall exchange = new EnvoyCall(call);
    call.errorHandler(reset -> exchange.cancel());
    call.exceptionHandler(broken -> exchange.cancel());
    call.response().exceptionHandler(broken -> exchange.cancel());
    call.invalidMessageHandler(large -> exchange.rejectTooLarge());
    call.messageHandler(exchange::decide);
    call.endHandler(v -> exchange.endOfMessages());
  }

  /** What came of a call: decisions, or why there are none. */
  private record EnvoyCallResult(@Nullable List<Decision> decisions, @Nullable Throwable failure) {
    String reason() {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause == null ? "cannot be decided" : String.valueOf(cause.getMessage());
    }
  }

  /** One call and its answer. */
  private final class EnvoyCall {
    private final GrpcServerResponse<RateLimitRequest, RateLimitResponse> response;
    private final Channel channel;
    private boolean messageReceived;
    private boolean canceled;

    EnvoyCall(GrpcServerRequest<RateLimitRequest, RateLimitResponse> call) {
      response = call.response();
      channel = ((ConnectionBase) call.connection()).channel();
    }

    /** The client has cancelled the call, or its connection has ended. */
    void cancel() {
      canceled = true;
    }

    /**
     * Whether an answer can be written. Vert.x throws at a write to a call that was cancelled, and
     * logs a stack trace for each answer that waits in a closed connection.
     */
    private boolean isOpen() {
      return !canceled && channel.isActive();
    }

    void decide(GrpcMessage message) {
      if (messageReceived) {
        return; // a unary call has one message
      }
      messageReceived = true;
      if (!message.encoding().equals(IDENTITY_ENCODING)) { // which may unfold to any size
        fail(GrpcStatus.UNIMPLEMENTED, "is compressed; send it as it is");
        return;
      }
      List<DescriptorRequest> descriptors;
      try {
        descriptors = RateLimitRequestParser.parse(DECODER.decode(message));
      } catch (CodecException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, "is no RateLimitRequest; write one");
        return;
      } catch (IllegalArgumentException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
        return;
      }
      long came = metrics.now();
      DecisionHandler.thenOnEventLoop(
          decider.decide(descriptors).handle(EnvoyCallResult::new),
          verdict -> {
            metrics.recordLatencySince(came);
            List<Decision> decisions = verdict.decisions();
            if (decisions == null) {
              fail(GrpcStatus.INVALID_ARGUMENT, verdict.reason());
            } else {
              respond(descriptors, decisions);
            }
          });
    }

    private void respond(List<DescriptorRequest> descriptors, List<Decision> decisions) {
      if (!isOpen()) {
        return;
      }
      RateLimitResponse told = responseBuilder.build(descriptors, decisions);
      if (serviceOptions.storeFailureMode().requiresError(told, decisions)) {
        fail(GrpcStatus.UNAVAILABLE, "the store has no answer");
      } else {
        var unused = response.end(told);
      }
    }

    /** Refuses a message that is not even read, for its size. */
    void rejectTooLarge() {
      messageReceived = true;
      fail(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "is too large; write a message of at most " + MAX_MESSAGE_BYTES + " bytes");
    }

    void endOfMessages() {
      if (!messageReceived) {
        messageReceived = true;
        fail(GrpcStatus.INVALID_ARGUMENT, "has no message; write a RateLimitRequest");
      }
    }

    private void fail(GrpcStatus status, String message) {
      if (isOpen()) {
        var unused = response.status(status).statusMessage(message).end();
      }
    }
  }
}
