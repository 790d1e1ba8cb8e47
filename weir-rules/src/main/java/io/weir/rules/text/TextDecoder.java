package io.weir.rules.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/** Decodes bytes as UTF-8 and rejects text with unprintable characters. */
public final class TextDecoder {

  private TextDecoder() {}

  /** Rejects characters that YAML does not allow, with the position of the first. */
  static void requirePrintable(String text, ProblemCollector problems) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int c = text.codePointAt(i);
      if (!StreamReader.isPrintable(c)) {
        String name = String.format("U+%04X", c);
        throw problems.fatal(
            SourcePosition.of(text, i),
            c == 0
                ? "is a NUL character; the file must be text"
                : "is the unprintable character "
                    + name
                    + "; remove it or escape it as \"\\u"
                    + toHex(c)
                    + "\"");
      }
    }
  }

  private static String toHex(int c) {
    return String.format("%04x", c);
  }

  /** Decodes UTF-8, without a byte order mark. */
  public static String decode(byte[] bytes, ProblemCollector problems) {
    CharsetDecoder decoder = UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length + 1);
    CoderResult end = decoder.decode(in, out, true);
    out.flip();
    if (end.isError()) {
      String wrong = String.format("0x%02X", bytes[in.position()]);
      throw problems.fatal(
          SourcePosition.of(out, out.length()),
          "the byte " + wrong + " is not UTF-8; save the file as UTF-8");
    }
    boolean hasMark = out.length() > 0 && out.charAt(0) == '\uFEFF';
    return out.subSequence(hasMark ? 1 : 0, out.length()).toString();
  }
}
