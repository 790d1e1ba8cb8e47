package io.weir.lab.world;

import io.weir.rule.Fingerprint;
import io.weir.store.Ask;
import io.weir.store.Clock;
import io.weir.store.Outcome;
import io.weir.store.Remote;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import java.util.Random;

/**
 * The way from one node to the store and back. Messages of one direction never overtake each other,
 * but may be late or lost, and the way may be cut.
 */
public final class Wire implements Remote {

  /** What becomes of messages while the way is cut. */
  public enum Cut {
    /** They are lost, and nobody is told. */
    SILENT,
    /** The node is told that nobody is there; what is under way is lost. */
    REFUSED,
    /** They arrive once the way is open again. */
    HELD
  }

  private static final long READING = 100;

  private final Timeline time;
  private final Random random;
  private final StoreServer server;
  private final Fingerprint fingerprint;
  private final Clock clock;
  private Weather weather;
  private Cut cut = Cut.SILENT;
  private long cutUntil;
  private long lastThere;
  private long lastBack;
  private long readsFrom;

  /**
   * @param clock the node's
   */
  Wire(
      Timeline time,
      Random random,
      StoreServer server,
      Fingerprint fingerprint,
      Clock clock,
      Weather weather) {
    this.time = time;
    this.random = random;
    this.server = server;
    this.fingerprint = fingerprint;
    this.clock = clock;
    this.weather = weather;
  }

  public Weather weather() {
    return weather;
  }

  public void weather(Weather one) {
    weather = one;
  }

  /** Cuts the way for a while. */
  public void cut(Cut how, long micros) {
    cut = how;
    cutUntil = time.micros() + micros;
  }

  private boolean isCut() {
    return time.micros() < cutUntil;
  }

  @Override
  public void ask(Ask ask) {
    if (isCut() && cut == Cut.REFUSED) {
      ask.fail(new StoreException(Kind.UNREACHABLE, "the way is cut"));
      return;
    }
    if (arrives()) {
      lastThere = arrival(lastThere);
      time.at(lastThere, () -> server.serve(ask, said -> reply(ask, said)));
    }
  }

  private void reply(Ask ask, Outcome[] said) {
    if (arrives()) {
      lastBack = arrival(lastBack);
      time.at(lastBack, () -> deliver(ask, said));
    }
  }

  /** Hands a reply to the node, or leaves it in the socket of one that does not run. */
  private void deliver(Ask ask, Outcome[] said) {
    if (time.micros() < readsFrom) {
      time.at(readsFrom, () -> deliver(ask, said));
    } else {
      ask.answer(said, clock.micros());
    }
  }

  /** Has the node read nothing for a while, nor at the moment it goes on: timers come first. */
  void stall(long micros) {
    readsFrom = Math.max(readsFrom, time.micros() + micros + READING);
  }

  private boolean arrives() {
    return !weather.loses(random) && (!isCut() || cut == Cut.HELD);
  }

  private long arrival(long last) {
    long sent = isCut() ? cutUntil : time.micros();
    return Math.max(last, sent + weather.delay(random));
  }

  @Override
  public Fingerprint fingerprint() {
    return fingerprint;
  }
}
