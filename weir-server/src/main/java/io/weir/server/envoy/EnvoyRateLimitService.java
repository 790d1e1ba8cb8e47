package io.weir.server.envoy;

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
import io.weir.web.DecisionHandler;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The Envoy rate limit service over gRPC, with health and reflection. It never blocks an event
 * loop.
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

  /** Loaded eagerly: loading Envoy's many classes on an event loop would block it. */
  private final ServiceDescriptor service =
      RlsProto.getDescriptor().findServiceByName("RateLimitService");

  public EnvoyRateLimitService(
      Vertx vertx, Limiter limiter, DecisionMetrics metrics, EnvoyServiceOptions serviceOptions) {
    this.vertx = vertx;
    this.metrics = metrics;
    this.serviceOptions = serviceOptions;
    decider = new DescriptorDecider(limiter);
    responseBuilder = new RateLimitResponseBuilder(serviceOptions.includeHeaders());
  }

  /**
   * The options of the service.
   *
   * @param includeHeaders whether responses contain rate limit headers for the caller
   * @param storeFailureMode the response if the store is unavailable
   * @param serving whether the health service reports it as serving
   */
  public record EnvoyServiceOptions(
      boolean includeHeaders, EnvoyStoreFailureMode storeFailureMode, BooleanSupplier serving) {}

  /** Returns the handler of all requests to the port, for one event loop. */
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

  /** Sets the options in which this listener differs from others. */
  public static HttpServerOptions configure(HttpServerOptions options) {
    options.getInitialSettings().setMaxConcurrentStreams(MAX_STREAMS);
    // Envoy resets each call that times out, so a slow store must not look like a reset flood
    return options
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS_PER_SECOND)
        .setHttp2RstFloodWindowDuration(1)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
  }

  private void handleCall(GrpcServerRequest<RateLimitRequest, RateLimitResponse> call) {
    EnvoyCall envoyCall = new EnvoyCall(call);
    call.errorHandler(reset -> envoyCall.cancel());
    call.exceptionHandler(broken -> envoyCall.cancel());
    call.response().exceptionHandler(broken -> envoyCall.cancel());
    call.invalidMessageHandler(large -> envoyCall.rejectTooLarge());
    call.messageHandler(envoyCall::decide);
    call.endHandler(v -> envoyCall.endOfMessages());
  }

  /** The result of a call: decisions, or the failure. */
  private record EnvoyCallResult(@Nullable List<Decision> decisions, @Nullable Throwable failure) {
    String reason() {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      return cause == null ? "cannot be decided" : String.valueOf(cause.getMessage());
    }
  }

  /** One call and its response. */
  private final class EnvoyCall {
    private final GrpcServerResponse<RateLimitRequest, RateLimitResponse> response;
    private final Channel channel;
    private boolean messageReceived;
    private boolean canceled;

    EnvoyCall(GrpcServerRequest<RateLimitRequest, RateLimitResponse> call) {
      response = call.response();
      channel = ((ConnectionBase) call.connection()).channel();
    }

    /** Called when the client has canceled the call, or its connection has ended. */
    void cancel() {
      canceled = true;
    }

    /**
     * Returns whether a response can be written. Vert.x throws on a write to a canceled call, and
     * logs a stack trace for each response that waits in a closed connection.
     */
    private boolean isOpen() {
      return !canceled && channel.isActive();
    }

    void decide(GrpcMessage message) {
      if (messageReceived) {
        return; // a unary call has one message
      }
      messageReceived = true;
      if (!message.encoding().equals(IDENTITY_ENCODING)) { // it might decompress to any size
        fail(GrpcStatus.UNIMPLEMENTED, "the message must not be compressed");
        return;
      }
      List<DescriptorRequest> descriptors;
      try {
        descriptors = RateLimitRequestParser.parse(DECODER.decode(message));
      } catch (CodecException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, "the message is not a RateLimitRequest");
        return;
      } catch (IllegalArgumentException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, String.valueOf(e.getMessage()));
        return;
      }
      long receivedAt = metrics.now();
      DecisionHandler.thenOnEventLoop(
          decider.decide(descriptors).handle(EnvoyCallResult::new),
          result -> {
            metrics.recordLatencySince(receivedAt);
            List<Decision> decisions = result.decisions();
            if (decisions == null) {
              fail(GrpcStatus.INVALID_ARGUMENT, result.reason());
            } else {
              respond(descriptors, decisions);
            }
          });
    }

    private void respond(List<DescriptorRequest> descriptors, List<Decision> decisions) {
      if (!isOpen()) {
        return;
      }
      RateLimitResponse rateLimitResponse = responseBuilder.build(descriptors, decisions);
      if (serviceOptions.storeFailureMode().requiresError(rateLimitResponse, decisions)) {
        fail(GrpcStatus.UNAVAILABLE, "the store is unavailable");
      } else {
        var unused = response.end(rateLimitResponse);
      }
    }

    /** Rejects a message that was not read because of its size. */
    void rejectTooLarge() {
      messageReceived = true;
      fail(
          GrpcStatus.RESOURCE_EXHAUSTED,
          "the message must have at most " + MAX_MESSAGE_BYTES + " bytes");
    }

    void endOfMessages() {
      if (!messageReceived) {
        messageReceived = true;
        fail(GrpcStatus.INVALID_ARGUMENT, "the call must have a message of type RateLimitRequest");
      }
    }

    private void fail(GrpcStatus status, String message) {
      if (isOpen()) {
        var unused = response.status(status).statusMessage(message).end();
      }
    }
  }
}
