package io.weir.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RespCommandParserTest {
  private static final String COMMANDS =
      "*2\r\n$4\r\nPING\r\n$3\r\na\nb\r\nPING  x\r\n*0\r\n\r\n*1\r\n$4\r\nQUIT\r\n";

  @Test
  void commandsCutAnywhere_areParsedTheSame() throws Exception {
    for (int cut = 0; cut <= COMMANDS.length(); cut++) {
      RespCommandParser parser = new RespCommandParser();
      List<List<String>> parsed = new ArrayList<>();
      parser.parse(Buffer.buffer(COMMANDS.substring(0, cut)), parsed::add);
      parser.parse(Buffer.buffer(COMMANDS.substring(cut)), parsed::add);
      assertThat(parsed)
          .as("cut at %s", cut)
          .containsExactly(List.of("PING", "a\nb"), List.of("PING", "x"), List.of("QUIT"));
    }
  }
}
