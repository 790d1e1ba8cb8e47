package io.weir.http.jwt;

import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A key set that is refreshed periodically in the background, and earlier when a token refers to an
 * unknown key. If a refresh fails, the last good keys remain in use.
 */
final class RefreshingKeySource implements JwtKeySource {
  private static final Logger LOG = System.getLogger(RefreshingKeySource.class.getName());

  private final KeySetLocation location;
  private final List<String> algorithms;
  private final Clock clock;
  private final RefreshSchedule schedule;
  private final AtomicBoolean refreshRequested = new AtomicBoolean();
  private volatile @Nullable BackgroundTask refreshTask;
  private volatile JwtKeySet current = JwtKeySet.EMPTY;
  private volatile long lastAttemptMicros;
  private volatile boolean failing;
  private String lastText = "";

  /**
   * How often keys are read.
   *
   * @param interval the interval between successful reads
   * @param minInterval the minimum interval: after a failure, or when a key is unknown
   */
  record RefreshSchedule(Duration interval, Duration minInterval) {
    static final RefreshSchedule DEFAULT =
        new RefreshSchedule(Duration.ofMinutes(5), Duration.ofSeconds(10));
  }

  private RefreshingKeySource(JwtSettings settings, Clock clock, RefreshSchedule schedule) {
    this.location = new KeySetLocation(settings.jwks());
    this.algorithms = settings.algorithms();
    this.clock = clock;
    this.schedule = schedule;
  }

  /**
   * Reads the keys and starts refreshing them. A URL may be unreachable at the start; a file must
   * be readable.
   *
   * @throws IllegalArgumentException if the location is a file without usable keys
   */
  static RefreshingKeySource open(JwtSettings settings, Clock clock, RefreshSchedule schedule) {
    RefreshingKeySource keys = new RefreshingKeySource(settings, clock, schedule);
    try {
      keys.read();
    } catch (IOException | ParseException | RuntimeException e) {
      if (!keys.location.isRemote()) {
        throw new IllegalArgumentException(
            "jwt: jwks '"
                + keys.location
                + "': "
                + reason(e)
                + "; expected a JSON Web Key Set file",
            e);
      }
      keys.onReadFailure(e);
    }
    keys.refreshTask =
        BackgroundTask.named("jwks", clock::micros)
            .interval(schedule.minInterval)
            .maxInterval(schedule.minInterval.plus(KeySetLocation.READ_TIMEOUT))
            .start(keys::refreshIfDue);
    return keys;
  }

  @Override
  public JwtKeySet current() {
    return current;
  }

  @Override
  public void onUnknownKey() {
    if (hasElapsed(schedule.minInterval) && refreshRequested.compareAndSet(false, true)) {
      BackgroundTask task = refreshTask;
      if (task != null) {
        task.wake();
      }
    }
  }

  private void refreshIfDue() {
    if (failing || refreshRequested.get() || hasElapsed(schedule.interval)) {
      refresh();
    }
  }

  private void refresh() {
    try {
      read();
      if (failing) {
        LOG.log(Level.INFO, "JWT keys can be read again from {0}", location);
      }
      failing = false;
    } catch (IOException | ParseException | RuntimeException e) {
      onReadFailure(e);
    } finally {
      refreshRequested.set(false);
    }
  }

  /**
   * Reads the keys. If the text is unchanged, the same key set stays in use, so that cached tokens
   * remain valid.
   */
  private void read() throws IOException, ParseException {
    lastAttemptMicros = clock.micros();
    String json = location.read();
    if (!json.equals(lastText)) {
      current = JwtKeySet.parse(json, algorithms);
      lastText = json;
    }
  }

  private void onReadFailure(Exception e) {
    if (!failing) {
      LOG.log(
          Level.WARNING,
          "cannot read JWT keys from {0} ({1}); using the last good keys until a retry succeeds",
          location,
          reason(e));
    }
    failing = true;
  }

  private static String reason(Exception e) {
    return e instanceof ParseException ? String.valueOf(e.getMessage()) : e.toString();
  }

  private boolean hasElapsed(Duration interval) {
    return clock.micros() - lastAttemptMicros >= interval.toNanos() / 1000;
  }

  @Override
  public void close() {
    BackgroundTask task = refreshTask;
    if (task != null) {
      task.stop(); // not awaited: it may be reading from a URL that does not respond
    }
  }
}
