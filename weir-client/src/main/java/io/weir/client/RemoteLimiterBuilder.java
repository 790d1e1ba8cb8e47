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

/** A {@link RemoteLimiter} in the making. */
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
        throw new IllegalArgumentException("'" + url + "' is no server; write http://host:port");
      }
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("'" + url + "' is no server; write http://host:port", e);
    }
    address = url.replaceAll("/+$", "");
  }

  /** How long a decision may take; 100 ms if not said. */
  public RemoteLimiterBuilder deadline(Duration time) {
    if (time.toMillis() < 1 || time.compareTo(MAX_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "a deadline of " + time + " cannot be; write 1ms to 1m, such as 100ms");
    }
    deadline = time;
    return this;
  }

  /** How many decisions may be under way at once; 1000 if not said. */
  public RemoteLimiterBuilder maxInFlight(int most) {
    if (most < 1) {
      throw new IllegalArgumentException(most + " decisions at once cannot be; write at least 1");
    }
    maxInFlight = most;
    return this;
  }

  /** What to answer when the service does not: open if not said. */
  public RemoteLimiterBuilder onFailure(StoreFailureFallback posture) {
    fallback =
        switch (posture.action()) {
          case OPEN -> FallbackLimiter.OPEN;
          case CLOSED -> FallbackLimiter.CLOSED;
          case LOCAL ->
              throw new IllegalArgumentException(
                  "a share of rules that only the server knows cannot be counted here; "
                      + "write onFailure(Weir.inMemory(rules)) with rules for that time");
        };
    return this;
  }

  /** Whom to ask when the service does not answer, such as one that counts in memory. */
  public RemoteLimiterBuilder onFailure(Limiter local) {
    fallback = local;
    return this;
  }

  /** Hears how the service fares. */
  public RemoteLimiterBuilder listener(StoreListener one) {
    listener = one;
    return this;
  }

  /** What to send with; one for HTTP/1.1 if not said. */
  public RemoteLimiterBuilder client(HttpClient one) {
    client = one;
    return this;
  }

  /** Connects, for at most a second; without a server it answers as if that were lost. */
  public RemoteLimiter build() {
    Clock clock = Clock.system();
    HttpClient sends =
        client == null
            ? HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(deadline)
                .build()
            : client;
    DecisionServiceClient service =
        new DecisionServiceClient(sends, address, deadline, maxInFlight, listener, clock);
    service.connect();
    return new RemoteLimiter(service, fallback, clock);
  }
}
