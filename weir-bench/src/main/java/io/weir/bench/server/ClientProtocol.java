package io.weir.bench.server;

import java.nio.ByteBuffer;
import java.util.function.IntConsumer;

/**
 * What is spoken on one connection: a request is put into bytes, and answers are found among the
 * bytes that come. As cheap as can be, since it takes CPU from what is measured.
 */
interface ClientProtocol {

  /** What is sent when the connection is made. */
  byte[] connectionPreface();

  /** How many requests may be under way at once. */
  int maxInFlight();

  /** The bytes of the next request, which takes the slot. */
  ByteBuffer encodeRequest(int slot);

  /**
   * Takes what came, all but an unfinished end, and tells the slot of each answer.
   *
   * @return what must be sent back at once, mostly nothing
   */
  ByteBuffer onBytesReceived(ByteBuffer in, IntConsumer answered);
}
