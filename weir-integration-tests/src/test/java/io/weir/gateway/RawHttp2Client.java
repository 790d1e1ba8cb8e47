package io.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/** An HTTP/2 client that writes raw frames, with header fields that no library would send. */
final class RawHttp2Client implements AutoCloseable {
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int END_STREAM_AND_HEADERS = 5;

  private final Socket socket;
  private boolean broken;

  private RawHttp2Client(Socket socket) {
    this.socket = socket;
  }

  static RawHttp2Client connect(int port) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      RawHttp2Client raw = new RawHttp2Client(socket);
      socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
      raw.sendFrame(SETTINGS, 0, 0, new byte[0]);
      return raw;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a GET request with one additional field. */
  RawHttp2Client sendGet(int stream, String path, String name, String value) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    appendHeader(block, ":method", "GET");
    appendHeader(block, ":scheme", "http");
    appendHeader(block, ":path", path);
    appendHeader(block, ":authority", "h");
    appendHeader(block, name, value);
    sendFrame(HEADERS, END_STREAM_AND_HEADERS, stream, block.toByteArray());
    return this;
  }

  void reset(int stream) {
    sendFrame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
  }

  /** Appends a literal header field without indexing (HPACK); both texts below 127 characters. */
  private static void appendHeader(ByteArrayOutputStream out, String name, String value) {
    out.write(0);
    for (String text : new String[] {name, value}) {
      out.write(text.length());
      out.writeBytes(text.getBytes(ISO_8859_1));
    }
  }

  private void sendFrame(int type, int flags, int stream, byte[] payload) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(payload.length >> 16);
    out.write(payload.length >> 8);
    out.write(payload.length);
    out.write(type);
    out.write(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      out.write(stream >> shift);
    }
    out.writeBytes(payload);
    try {
      socket.getOutputStream().write(out.toByteArray());
    } catch (IOException e) {
      broken = true;
    }
  }

  /** Whether sending has failed. */
  boolean isBroken() {
    return broken;
  }

  /** Whether the server sends GOAWAY or closes the connection. */
  boolean isEndedByPeer() {
    return broken || nextFrameType(0) == GOAWAY;
  }

  /** Whether a stream is reset or the connection is closed, instead of a response. */
  boolean isRefused(int stream) {
    return nextFrameType(stream) != HEADERS;
  }

  /** The type of the first frame that responds to a stream or ends the connection. */
  private int nextFrameType(int stream) {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        in.readUnsignedByte();
        int frameStream = in.readInt();
        in.readFully(new byte[length]);
        if (type == GOAWAY || (frameStream == stream && (type == HEADERS || type == RST_STREAM))) {
          return type;
        }
      }
    } catch (EOFException | SocketException e) {
      return GOAWAY;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
