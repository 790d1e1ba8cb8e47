package io.weir.server.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a WebSocket: bytes from one socket to the other, no faster than they are taken,
 * past a turnstile at the beginning of each message if there is one.
 */
final class WebSocketRelay {
  private final NetSocket source;
  private final NetSocket target;
  private final @Nullable MessageAdmission admission;
  private final WebSocketFrameParser frameParser = new WebSocketFrameParser();
  private @Nullable Runnable endAction;
  private boolean stopped;
  private boolean waitingForAdmission;

  /** Decides whether a message may pass. */
  interface MessageAdmission {
    /** Whether any message must be asked about; rules may come and go while a WebSocket is open. */
    boolean isRequired();

    /**
     * @param pass called, now or later, if it may
     */
    void requestAdmission(Runnable pass);
  }

  WebSocketRelay(NetSocket from, NetSocket to, @Nullable MessageAdmission turnstile) {
    this.source = from;
    this.target = to;
    this.admission = turnstile;
  }

  void start() {
    source.handler(this::onData);
    source.resume();
  }

  private void onData(Buffer data) {
    if (!stopped) {
      new PendingData(data).forward();
    }
  }

  /**
   * Goes on up to a frame that closes the WebSocket; something else is done in its place, and also
   * if the relay is stopped before.
   */
  void endBeforeClose(Runnable last) {
    endAction = last;
  }

  /** Passes nothing more on. In the middle of a frame there is nothing else to be said either. */
  void stop() {
    if (!stopped) {
      stopped = true;
      if (endAction != null && frameParser.isAtFrameStart()) {
        endAction.run();
      }
    }
  }

  private void send(Buffer data) {
    if (data.length() > 0) {
      var unused = target.write(data);
      if (target.writeQueueFull()) {
        source.pause();
        target.drainHandler(v -> resumeSource());
      }
    }
  }

  private void resumeSource() {
    if (!waitingForAdmission && !target.writeQueueFull()) {
      source.resume();
    }
  }

  /** Some bytes on their way; they stop where a message must wait. */
  private final class PendingData {
    private final Buffer data;
    private int sentUpTo;
    private int position;
    private boolean requestingAdmission;
    private boolean admitted;

    PendingData(Buffer data) {
      this.data = data;
    }

    void forward() {
      while (position < data.length() && !stopped) {
        if (frameParser.isAtFrameStart() && !mayStartMessage()) {
          return;
        }
        if (endAction != null
            && frameParser.isAtFrameStart()
            && WebSocketFrameParser.isClose(data.getByte(position))) {
          flush();
          stop();
          return;
        }
        admitted = false;
        position = frameParser.advance(data, position);
        if (frameParser.isMalformed()) {
          stopped = true;
          source.close();
        }
      }
      flush();
    }

    /** Whether the frame that begins here goes on at once. */
    private boolean mayStartMessage() {
      if (admission == null
          || admitted
          || !WebSocketFrameParser.startsMessage(data.getByte(position))
          || !admission.isRequired()) {
        return true;
      }
      flush();
      requestingAdmission = true;
      admission.requestAdmission(this::onAdmitted);
      requestingAdmission = false;
      if (!admitted) {
        waitingForAdmission = true;
        source.pause();
      }
      return admitted;
    }

    private void onAdmitted() {
      admitted = true;
      if (!requestingAdmission) {
        waitingForAdmission = false;
        forward();
        resumeSource();
      }
    }

    private void flush() {
      send(data.slice(sentUpTo, position));
      sentUpTo = position;
    }
  }
}
