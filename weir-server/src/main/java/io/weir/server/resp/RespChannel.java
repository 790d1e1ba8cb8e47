package io.weir.server.resp;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.weir.web.DecisionHandler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads commands from a connection and writes their replies in the same order, although decisions
 * may become ready in another. Reading pauses while many replies are due or the caller does not
 * read them. Used by the event loop of the connection.
 */
final class RespChannel {
  private static final int MAX_PENDING = 1024;

  private final NetSocket socket;
  private final RespSession session;
  private final Runnable onFirstCommand;
  private final RespCommandParser parser = new RespCommandParser();
  private final Deque<CompletableFuture<String>> pending = new ArrayDeque<>();
  private boolean hasCommands;
  private boolean reading = true;

  private RespChannel(NetSocket socket, RespSession session, Runnable onFirstCommand) {
    this.socket = socket;
    this.session = session;
    this.onFirstCommand = onFirstCommand;
  }

  /**
   * Serves a connection.
   *
   * @param onFirstCommand called when the first command is complete
   */
  static void serve(NetSocket socket, RespSession session, Runnable onFirstCommand) {
    RespChannel connection = new RespChannel(socket, session, onFirstCommand);
    socket.handler(connection::read);
    socket.drainHandler(v -> connection.write());
  }

  private void read(Buffer received) {
    try {
      if (reading) {
        parser.parse(received, this::execute);
      }
    } catch (RespProtocolException e) {
      end(RespReplyEncoder.error("Protocol error: " + e.getMessage()));
    }
    write();
  }

  private void execute(List<String> command) {
    if (!hasCommands) {
      hasCommands = true;
      onFirstCommand.run();
    }
    if (!reading) {
      return; // after QUIT
    }
    CompletableFuture<String> reply = session.execute(command);
    pending.add(reply);
    if (!reply.isDone()) {
      DecisionHandler.thenOnEventLoop(reply, ready -> write());
    }
    reading = !session.isEnded();
  }

  /** Adds a last reply, after which the connection is closed. */
  private void end(String reply) {
    reading = false;
    pending.add(CompletableFuture.completedFuture(reply));
  }

  /** Writes the replies that are ready, up to the first that is not, as one piece. */
  private void write() {
    StringBuilder ready = new StringBuilder();
    while (!pending.isEmpty() && pending.peek().isDone()) {
      ready.append(pending.remove().join());
    }
    if (!ready.isEmpty()) {
      var unused = socket.write(Buffer.buffer(ready.toString()));
    }
    if (!reading && pending.isEmpty()) {
      var unused = socket.close();
    } else if (pending.size() >= MAX_PENDING || socket.writeQueueFull()) {
      socket.pause();
    } else {
      socket.resume();
    }
  }
}
