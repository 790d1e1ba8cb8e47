package io.weir.web;

import java.io.IOException;
import java.io.OutputStream;

/** Standard output; closing this stream does not close it. */
final class StdoutStream extends OutputStream {

  @Override
  public void write(int b) {
    System.out.write(b);
  }

  @Override
  public void write(byte[] bytes, int from, int length) {
    System.out.write(bytes, from, length);
  }

  @Override
  public void flush() throws IOException {
    System.out.flush();
    if (System.out.checkError()) {
      throw new IOException("standard output is closed");
    }
  }
}
