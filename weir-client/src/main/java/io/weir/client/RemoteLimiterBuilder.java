package io.weir.client;

import io.weir.Limiter;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.Clock;
import io.weir.store.StoreListener;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Builds a {@link RemoteLimiter}. */
public final class RemoteLimiterBuilder {
  private static final Duration MAX_DEADLINE = Duration.ofMinutes(1);

  private final String address;
  private Duration deadline = Duration.ofMillis(100);
  private int maxInFlight = 1000;
  private Limiter fallback = FallbackLimiter.OPEN;
  private StoreListener listener = StoreListener.NONE;
  private @Nullable HttpClient client;

  RemoteLimiterBuilder(String url) {
    try {
      URI uri = new URI(url);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!web || uri.getHost() == null || uri.getQuery() != null) {
        throw new IllegalArgumentException(
            "'" + url + "' is not a server URL; expected http://host:port");
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "'" + url + "' is not a server URL; expected http://host:port", e);
    }
    address = url.replaceAll("/+$", "");
  }

  /** Sets how long a decision may take; 100 ms by default. */
  public RemoteLimiterBuilder deadline(Duration time) {
    if (time.toMillis() < 1 || time.compareTo(MAX_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "deadline must be between 1ms and 1m (was " + time + "), for example 100ms");
    }
    deadline = time;
    return this;
  }

  /** Sets how many decisions may be in flight at once; 1000 by default. */
  public RemoteLimiterBuilder maxInFlight(int most) {
    if (most < 1) {
      throw new IllegalArgumentException("maxInFlight must be at least 1 (was " + most + ")");
    }
    maxInFlight = most;
    return this;
  }

  /** Sets the fallback if the service does not answer; {@code OPEN} by default. */
  public RemoteLimiterBuilder onFailure(StoreFailureFallback mode) {
    fallback =
        switch (mode.action()) {
          case OPEN -> FallbackLimiter.OPEN;
          case CLOSED -> FallbackLimiter.CLOSED;
          case LOCAL ->
              throw new IllegalArgumentException(
                  "a local fallback needs rules, and only the server knows its rules; "
                      + "use onFailure(Weir.inMemory(rules)) with rules for an outage");
        };
    return this;
  }

  /** Sets the limiter to use if the service does not answer, such as one that counts in memory. */
  public RemoteLimiterBuilder onFailure(Limiter limiter) {
    fallback = limiter;
    return this;
  }

  /** Sets a listener for answers, failures and outages of the service. */
  public RemoteLimiterBuilder listener(StoreListener one) {
    listener = one;
    return this;
  }

  /** Sets the HTTP client; by default one for HTTP/1.1. */
  public RemoteLimiterBuilder client(HttpClient one) {
    client = one;
    return this;
  }

  /** Builds the limiter and connects for at most a second; if that fails, the fallback is used. */
  public RemoteLimiter build() {
    Clock clock = Clock.system();
    HttpClient httpClient =
        client == null
            ? HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(deadline)
                .build()
            : client;
    DecisionServiceClient service =
        new DecisionServiceClient(httpClient, address, deadline, maxInFlight, listener, clock);
    service.connect();
    return new RemoteLimiter(service, fallback, clock);
  }
}
