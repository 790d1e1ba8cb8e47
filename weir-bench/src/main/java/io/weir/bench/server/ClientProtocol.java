package io.weir.bench.server;

import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/**
 * The protocol on one connection: encodes requests and finds responses in the received bytes. It
 * must be cheap, since it shares the CPU with the server under test.
 */
interface ClientProtocol {

  /** Returns the bytes to send when the connection is opened. */
  byte[] connectionPreface();

  /** Returns how many requests may be in flight at once. */
  int maxInFlight();

  /** Returns the bytes of the next request, which occupies the slot. */
  ByteBuffer encodeRequest(int slot);

  /**
   * Consumes received bytes, except an incomplete end, and reports the slot of each response.
   *
   * @return bytes to send back immediately, mostly none
   */
  ByteBuffer onBytesReceived(ByteBuffer in, IntConsumer answered);
}
