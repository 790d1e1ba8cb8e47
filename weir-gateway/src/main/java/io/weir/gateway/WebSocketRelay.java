package io.weir.gateway;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;

/**
 * Relays one direction of a WebSocket: copies bytes from one socket to the other, no faster than
 * the receiver reads, and requests admission at the start of each message if required.
 */
final class WebSocketRelay {
  private final NetSocket source;
  private final NetSocket target;
  private final @Nullable MessageAdmission admission;
  private final WebSocketFrameParser frameParser = new WebSocketFrameParser();
  private @Nullable Runnable endAction;
  private boolean stopped;
  private boolean waitingForAdmission;

  /** Decides whether a message may be relayed. */
  interface MessageAdmission {
    /** Whether messages need admission now; rules may change while a WebSocket is open. */
    boolean isRequired();

    /**
     * Requests admission of a message.
     *
     * @param onAdmitted called, now or later, if the message is admitted
     */
    void requestAdmission(Runnable onAdmitted);
  }

  WebSocketRelay(NetSocket from, NetSocket to, @Nullable MessageAdmission admission) {
    this.source = from;
    this.target = to;
    this.admission = admission;
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
   * Relays frames up to the next close frame and runs the action in its place. The action also runs
   * if the relay is stopped before.
   */
  void endBeforeClose(Runnable action) {
    endAction = action;
  }

  /** Stops relaying. In the middle of a frame, the end action is not run. */
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

  /** Received bytes that are being relayed; relaying pauses where a message needs admission. */
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

    /** Whether the frame that starts here may be relayed now. */
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
