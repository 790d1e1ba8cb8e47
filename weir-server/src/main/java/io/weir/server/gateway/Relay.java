package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a WebSocket: bytes from one socket to the other, no faster than they are taken,
 * past a turnstile at the beginning of each message if there is one.
 */
final class Relay {
  private final NetSocket from;
  private final NetSocket to;
  private final @Nullable Turnstile turnstile;
  private final Frames frames = new Frames();
  private @Nullable Runnable atEnd;
  private boolean stopped;
  private boolean waits;

  /** Decides whether a message may pass. */
  interface Turnstile {
    /** Whether any message must be asked about; rules may come and go while a WebSocket is open. */
    boolean isNeeded();

    /**
     * @param pass called, now or later, if it may
     */
    void ask(Runnable pass);
  }

  Relay(NetSocket from, NetSocket to, @Nullable Turnstile turnstile) {
    this.from = from;
    this.to = to;
    this.turnstile = turnstile;
  }

  void begin() {
    from.handler(this::take);
    from.resume();
  }

  private void take(Buffer data) {
    if (!stopped) {
      new Run(data).on();
    }
  }

  /**
   * Goes on up to a frame that closes the WebSocket; something else is done in its place, and also
   * if the relay is stopped before.
   */
  void endWith(Runnable last) {
    atEnd = last;
  }

  /** Passes nothing more on. In the middle of a frame there is nothing else to be said either. */
  void stop() {
    if (!stopped) {
      stopped = true;
      if (atEnd != null && frames.atStart()) {
        atEnd.run();
      }
    }
  }

  private void send(Buffer data) {
    if (data.length() > 0) {
      var unused = to.write(data);
      if (to.writeQueueFull()) {
        from.pause();
        to.drainHandler(v -> flow());
      }
    }
  }

  private void flow() {
    if (!waits && !to.writeQueueFull()) {
      from.resume();
    }
  }

  /** Some bytes on their way; they stop where a message must wait. */
  private final class Run {
    private final Buffer data;
    private int sent;
    private int at;
    private boolean asking;
    private boolean passed;

    Run(Buffer data) {
      this.data = data;
    }

    void on() {
      while (at < data.length() && !stopped) {
        if (frames.atStart() && !mayBegin()) {
          return;
        }
        if (atEnd != null && frames.atStart() && Frames.isClose(data.getByte(at))) {
          flush();
          stop();
          return;
        }
        passed = false;
        at = frames.advance(data, at);
        if (frames.isBroken()) {
          stopped = true;
          from.close();
        }
      }
      flush();
    }

    /** Whether the frame that begins here goes on at once. */
    private boolean mayBegin() {
      if (turnstile == null
          || passed
          || !Frames.beginsMessage(data.getByte(at))
          || !turnstile.isNeeded()) {
        return true;
      }
      flush();
      asking = true;
      turnstile.ask(this::pass);
      asking = false;
      if (!passed) {
        waits = true;
        from.pause();
      }
      return passed;
    }

    private void pass() {
      passed = true;
      if (!asking) {
        waits = false;
        on();
        flow();
      }
    }

    private void flush() {
      send(data.slice(sent, at));
      sent = at;
    }
  }
}
