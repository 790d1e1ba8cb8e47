package io.weir.client;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Paces the calls of Spring's {@code RestClient} and {@code RestTemplate}, with any request
 * factory, as a {@link PacedClient} does. Waiting blocks the caller's thread.
 */
public final class PacedInterceptor implements ClientHttpRequestInterceptor {
  private final Pacing pacing;

  public PacedInterceptor(Pacing pacing) {
    this.pacing = pacing;
  }

  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    URI uri = request.getURI();
    boolean keyed = request.getHeaders().getFirst("Idempotency-Key") != null;
    PacedCall call = pacing.newCall(request.getMethod().name(), uri, keyed, pacing.maxWait());
    while (true) {
      await(call);
      try {
        ClientHttpResponse response = execution.execute(request, body);
        var fields = response.getHeaders();
        call.onAnswer(
            pacing.readAnswer(
                response.getStatusCode().value(), name -> fields.getOrDefault(name, List.of())));
        if (!call.shouldRetry()) {
          return response;
        }
        response.close();
      } catch (IOException e) {
        call.onNoAnswer();
        if (!call.shouldRetry()) {
          throw e;
        }
      } catch (RuntimeException | Error e) {
        call.onNoAnswer();
        throw e;
      }
    }
  }

  private static void await(PacedCall call) throws IOException {
    try {
      call.requestTurn().get();
    } catch (InterruptedException e) {
      call.abandon();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting to send the call", e);
    } catch (ExecutionException e) {
      throw RetryingExchange.toIoException(e);
    }
  }
}
