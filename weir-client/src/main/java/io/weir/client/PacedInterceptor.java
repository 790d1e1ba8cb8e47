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
 * Paces the calls of Spring's {@code RestClient} and {@code RestTemplate}, whatever they are sent
 * with, as a {@link PacedClient} does; a caller's thread waits.
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
    PacedCall trip = pacing.newCall(request.getMethod().name(), uri, keyed, pacing.maxWait());
    while (true) {
      await(trip);
      try {
        ClientHttpResponse response = execution.execute(request, body);
        var fields = response.getHeaders();
        trip.onAnswer(
            pacing.readAnswer(
                response.getStatusCode().value(), name -> fields.getOrDefault(name, List.of())));
        if (!trip.shouldRetry()) {
          return response;
        }
        response.close();
      } catch (IOException e) {
        trip.onNoAnswer();
        if (!trip.shouldRetry()) {
          throw e;
        }
      } catch (RuntimeException | Error e) {
        trip.onNoAnswer();
        throw e;
      }
    }
  }

  private static void await(PacedCall trip) throws IOException {
    try {
      trip.requestTurn().get();
    } catch (InterruptedException e) {
      trip.abandon();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for its turn", e);
    } catch (ExecutionException e) {
      throw RetryingExchange.toIoException(e);
    }
  }
}
