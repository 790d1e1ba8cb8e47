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
final class FollowedKeys implements KeySource {
  private static final Logger LOG = System.getLogger(FollowedKeys.class.getName());

  private final KeyLocation location;
  private final List<String> algorithms;
  private final Clock clock;
  private final Pace pace;
  private final AtomicBoolean asked = new AtomicBoolean();
  private volatile @Nullable BackgroundTask reader;
  private volatile KeySet current = KeySet.NONE;
  private volatile long tried;
  private volatile boolean failing;
  private String text = "";

  /**
   * How often keys are read.
   *
   * @param every as long as all goes well
   * @param pause at the soonest after the last time: after a failure, or for a key that is missing
   */
  record Pace(Duration every, Duration pause) {
    static final Pace USUAL = new Pace(Duration.ofMinutes(5), Duration.ofSeconds(10));
  }

  private FollowedKeys(JwtSettings settings, Clock clock, Pace pace) {
    this.location = new KeyLocation(settings.jwks());
    this.algorithms = settings.algorithms();
    this.clock = clock;
    this.pace = pace;
  }

  /**
   * Reads the keys and follows them. An address may be away at the start, a file may not.
   *
   * @throws IllegalArgumentException if it is a file that holds no keys
   */
  static FollowedKeys open(JwtSettings settings, Clock clock, Pace pace) {
    FollowedKeys keys = new FollowedKeys(settings, clock, pace);
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
      keys.failed(e);
    }
    keys.reader =
        BackgroundTask.named("jwks", clock::micros)
            .pause(pace.pause)
            .expected(pace.pause.plus(KeyLocation.PATIENCE))
            .start(keys::refreshIfDue);
    return keys;
  }

  @Override
  public KeySet current() {
    return current;
  }

  @Override
  public void missed() {
    if (isPast(pace.pause) && asked.compareAndSet(false, true)) {
      BackgroundTask running = reader;
      if (running != null) {
        running.wake();
      }
    }
  }

  private void refreshIfDue() {
    if (failing || asked.get() || isPast(pace.every)) {
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
      failed(e);
    } finally {
      asked.set(false);
    }
  }

  /**
   * Takes what is there now. The same text keeps the same keys, and with them what they verified.
   */
  private void read() throws IOException, ParseException {
    tried = clock.micros();
    String found = location.read();
    if (!found.equals(text)) {
      current = KeySet.parse(found, algorithms);
      text = found;
    }
  }

  private void failed(Exception e) {
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

  private boolean isPast(Duration time) {
    return clock.micros() - tried >= time.toNanos() / 1000;
  }

  @Override
  public void close() {
    BackgroundTask running = reader;
    if (running != null) {
      running.stop(); // not waited for: it may be reading from an address that is silent
    }
  }
}
