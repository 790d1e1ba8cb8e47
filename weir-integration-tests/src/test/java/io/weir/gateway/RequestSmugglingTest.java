package io.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Request smuggling: requests that two servers could parse differently. */
class RequestSmugglingTest {
  private static final String EVIL = "GET /evil HTTP/1.1\r\nHost: h\r\n\r\n";
  private static final String POST = "POST / HTTP/1.1\r\nHost: h\r\n";

  @TempDir Path folder;

  private static Map<String, String> ambiguousRequests() {
    String chunks = "\r\n0\r\n\r\n";
    Map<String, String> all = new LinkedHashMap<>();
    all.put("CL.TE", POST + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n" + chunks);
    all.put("TE.CL", POST + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n" + chunks);
    all.put("two lengths", POST + "Content-Length: 0\r\nContent-Length: 5\r\n\r\n");
    all.put("the same length twice", POST + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n");
    all.put("a list of lengths", POST + "Content-Length: 0, 0\r\n\r\n");
    all.put("a signed length", POST + "Content-Length: +0\r\n\r\n");
    all.put("a negative length", POST + "Content-Length: -1\r\n\r\n");
    all.put("a length in hexadecimal", POST + "Content-Length: 0x0\r\n\r\n");
    all.put("a length beyond 64 bits", POST + "Content-Length: 99999999999999999999\r\n\r\n");
    all.put("chunked, identity", POST + "Transfer-Encoding: chunked, identity\r\n" + chunks);
    all.put("identity", POST + "Transfer-Encoding: identity\r\n" + chunks);
    all.put("gzip, chunked", POST + "Transfer-Encoding: gzip, chunked\r\n" + chunks);
    all.put("xchunked", POST + "Transfer-Encoding: xchunked\r\n" + chunks);
    all.put("chunked twice", POST + "Transfer-Encoding: chunked\r\n".repeat(2) + chunks);
    all.put("a tab before chunked", POST + "Transfer-Encoding: \u000bchunked\r\n" + chunks);
    all.put("a space before the colon", POST + "Transfer-Encoding : chunked\r\n" + chunks);
    all.put("a folded line", POST + "Transfer-Encoding:\r\n chunked\r\n" + chunks);
    all.put("a NUL in a value", POST + "X: a\0b\r\nContent-Length: 0\r\n\r\n");
    all.put("a CR in a value", POST + "X: a\rTransfer-Encoding: chunked\r\n" + chunks);
    all.put("a name with a space", POST + "Content Length: 5\r\nContent-Length: 0\r\n\r\n");
    all.put("a line without a colon", POST + "nonsense\r\nContent-Length: 0\r\n\r\n");
    all.put("bare LF", "GET / HTTP/1.1\nHost: h\n\n");
    all.put("bare LF at the end", "GET / HTTP/1.1\r\nHost: h\r\n\n");
    all.put("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + chunks);
    all.put("no host", "GET / HTTP/1.1\r\n\r\n");
    all.put("two hosts", "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n");
    all.put("a space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n");
    return all;
  }

  @Test
  void ambiguousRequest_is400AndItsConnectionIsClosed() {
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      ambiguousRequests()
          .forEach(
              (name, text) -> {
                try (RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
                  String all = wire.send(text + EVIL).readToEnd();
                  assertThat(all).as(name).containsPattern("^HTTP/1.[01] 400");
                  assertThat(all.indexOf("HTTP/1", 1)).as(name + " is answered once").isNegative();
                }
              });
      assertThat(up.received()).as("nothing reaches the upstream").isEmpty();
    }
  }

  @Test
  void malformedChunks_areNotForwarded() {
    String[] bad = {"zz\r\nabc\r\n", "-1\r\nabc\r\n", "3\r\nabcd\r\n", "5\nhello\n0\n\n", "\r\n"};
    for (String chunk : bad) {
      try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
          RunningServer server =
              GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url());
          RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
        String all =
            wire.send(POST + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "0\r\n\r\n" + EVIL)
                .readToEnd();
        assertThat(all).as(chunk).doesNotContain(" 200 ");
        assertThat(up.received()).as(chunk).doesNotContain("evil");
      }
    }
  }

  @Test
  void malformedHttp2Headers_areRejected() {
    String[][] bad = {
      {"x", "a\r\nhost: evil"},
      {"x", "a\nevil: 1"},
      {"x", "a\0evil"},
      {"x\r\nevil", "1"},
      {"X-Capital", "evil"},
      {"transfer-encoding", "chunked"},
      {"connection", "evil"},
      {":path", "/evil"},
      {"content-length", "5"},
    };
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server =
            GatewayTestServer.start(folder, GatewayProxyTest.NO_RULES, "upstream", up.url())) {
      for (String[] field : bad) {
        try (RawHttp2Client raw = RawHttp2Client.connect(server.port("gateway"))) {
          assertThat(raw.sendGet(1, "/", field[0], field[1]).isRefused(1)).as(field[0]).isTrue();
        }
      }
      assertThat(up.received()).isEmpty();
    }
  }

  @Test
  void pipelinedRequests_areChargedOneByOne() {
    String rules = "rules: [{id: ip, per: [ip], limit: 2/hour}]";
    try (RecordingUpstream up = RecordingUpstream.answering(RecordingUpstream.OK_RESPONSE);
        RunningServer server = GatewayTestServer.start(folder, rules, "upstream", up.url());
        RawHttpClient wire = RawHttpClient.connect(server.port("gateway"))) {
      wire.send(POST + "Content-Length: 3\r\n\r\nabc" + EVIL + EVIL);
      assertThat(wire.readResponse()).startsWith("HTTP/1.1 200");
      assertThat(wire.readResponse()).startsWith("HTTP/1.1 200");
      assertThat(wire.readResponse()).startsWith("HTTP/1.1 429");
      assertThat(up.requestHeads()).hasSize(2);
    }
  }
}
