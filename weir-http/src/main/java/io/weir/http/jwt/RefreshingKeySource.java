package io.weir.http.jwt;

import io.weir.background.BackgroundTask;
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
 * Keys that are read again in the background now and then, and soon when a token means one that is
 * not among them. Where reading fails the last good ones serve.
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
   * @param interval as long as all goes well
   * @param minInterval at the soonest after the last time: after a failure, or for a key that is
   *     missing
   */
  record RefreshSchedule(Duration interval, Duration minInterval) {
    static final RefreshSchedule DEFAULT =
        new RefreshSchedule(Duration.ofMinutes(5), Duration.ofSeconds(10));
  }

  private RefreshingKeySource(JwtSettings settings, Clock clock, RefreshSchedule pace) {
    this.location = new KeySetLocation(settings.jwks());
    this.algorithms = settings.algorithms();
    this.clock = clock;
    this.schedule = pace;
  }

  /**
   * Reads the keys and follows them. An address may be away at the start, a file may not.
   *
   * @throws IllegalArgumentException if it is a file that holds no keys
   */
  static RefreshingKeySource open(JwtSettings settings, Clock clock, RefreshSchedule pace) {
    RefreshingKeySource keys = new RefreshingKeySource(settings, clock, pace);
    try {
      keys.read();
    } catch (IOException | ParseException | RuntimeException e) {
      if (!keys.location.isRemote()) {
        throw new IllegalArgumentException(
            "jwt: jwks '"
                + keys.location
                + "': "
                + reason(e)
                + "; write the file of a JSON Web Key Set",
            e);
      }
      keys.onReadFailure(e);
    }
    keys.refreshTask =
        BackgroundTask.named("jwks", clock::micros)
            .interval(pace.minInterval)
            .maxInterval(pace.minInterval.plus(KeySetLocation.READ_TIMEOUT))
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
      BackgroundTask running = refreshTask;
      if (running != null) {
        running.wake();
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
        LOG.log(Level.INFO, "{0} can be read again", location);
      }
      failing = false;
    } catch (IOException | ParseException | RuntimeException e) {
      onReadFailure(e);
    } finally {
      refreshRequested.set(false);
    }
  }

  /**
   * Takes what is there now. The same text keeps the same keys, and with them what they verified.
   */
  private void read() throws IOException, ParseException {
    lastAttemptMicros = clock.micros();
    String found = location.read();
    if (!found.equals(lastText)) {
      current = JwtKeySet.parse(found, algorithms);
      lastText = found;
    }
  }

  private void onReadFailure(Exception e) {
    if (!failing) {
      LOG.log(
          Level.WARNING,
          "{0} gives no keys ({1}); the last good ones serve, and it is tried again",
          location,
          reason(e));
    }
    failing = true;
  }

  private static String reason(Exception e) {
    return e instanceof ParseException ? String.valueOf(e.getMessage()) : e.toString();
  }

  private boolean hasElapsed(Duration time) {
    return clock.micros() - lastAttemptMicros >= time.toNanos() / 1000;
  }

  @Override
  public void close() {
    BackgroundTask running = refreshTask;
    if (running != null) {
      running.stop(); // not waited for: it may be reading from an address that is silent
    }
  }
}
