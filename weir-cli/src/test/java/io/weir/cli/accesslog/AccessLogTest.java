package io.weir.cli.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Access logs in all formats. */
class AccessLogTest {
  private static final long TIME = 1_791_640_536_000_000L; // 2026-10-10T13:55:36Z
  private static final String COMMON =
      "203.0.113.9 - ann [10/Oct/2026:15:55:36 +0200] \"GET /v1/a//b?x=1 HTTP/1.1\" 200 12";
  private static final Map<String, String> COMMON_ATTRIBUTES =
      Map.of(
          "ip", "203.0.113.9",
          "user", "ann",
          "status", "200",
          "method", "GET",
          "path", "/v1/a/b",
          "endpoint", "GET /v1/a/b");

  private static List<LoggedRequest> read(String text) throws IOException {
    return read(text.getBytes(UTF_8), new AccessLog("log", false));
  }

  private static List<LoggedRequest> read(byte[] bytes, AccessLog log) throws IOException {
    List<LoggedRequest> requests = new ArrayList<>();
    log.forEach(new ByteArrayInputStream(bytes), requests::add);
    return requests;
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void commonAndCombinedFormat_haveCallerAndNormalizedEndpoint() throws IOException {
    assertThat(read(COMMON)).containsExactly(new LoggedRequest(TIME, COMMON_ATTRIBUTES, 1));
    LoggedRequest combined =
        read(COMMON + " \"https://a.example/\" \"a \\\"quoted\\\" agent\" 0.003\n").get(0);
    assertThat(combined.attributes())
        .containsEntry("header.referer", "https://a.example/")
        .containsEntry("header.user-agent", "a \\\"quoted\\\" agent")
        .containsAllEntriesOf(COMMON_ATTRIBUTES);
  }

  @Test
  void csv_hasAttributesByHeader() throws IOException {
    String csv =
        "\ufeffTimestamp, remote_addr,verb,uri,tier,cost\n\n"
            + "2026-10-10T13:55:36Z,10.0.0.1,get,/a,\"free, \"\"old\"\"\",3\n"
            + "2026-10-10 13:55:36.250,10.0.0.1,GET,/a,,\n";
    Map<String, String> attributes =
        Map.of("ip", "10.0.0.1", "method", "GET", "path", "/a", "endpoint", "GET /a");
    List<LoggedRequest> requests = read(csv);
    assertThat(requests.get(0).cost()).isEqualTo(3);
    assertThat(requests.get(0).attributes())
        .containsAllEntriesOf(attributes)
        .containsEntry("tier", "free, \"old\"");
    assertThat(requests.get(1)).isEqualTo(new LoggedRequest(TIME + 250_000, attributes, 1));
  }

  @Test
  void json_hasInnerFieldsAndFirstOfLists() throws IOException {
    String json =
        "{\"ts\":1791640536.25,\"request\":{\"method\":\"GET\",\"uri\":\"/a?b\",\"remote_ip\":\"::1\","
            + "\"headers\":{\"X-Tenant\":[\"acme\"]}},\"user\":null}\n";
    assertThat(read(json))
        .containsExactly(
            new LoggedRequest(
                TIME + 250_000,
                Map.of(
                    "ip", "::1",
                    "method", "GET",
                    "path", "/a",
                    "endpoint", "GET /a",
                    "request.headers.X-Tenant", "acme"),
                1));
  }

  @ParameterizedTest
  @CsvSource({
    "1791640536, 0",
    "1791640536.5, 500000",
    "1791640536500, 500000",
    "1791640536500007, 500007",
    "2026-10-10T13:55:36Z, 0",
    "2026-10-10T15:55:36.5+02:00, 500000",
    "2026-10-10T13:55:36, 0",
    "2026-10-10T11:55:36-02:00, 0",
    "10/Oct/2026:11:55:36 -0200, 0",
    "0, -1791640536000000"
  })
  void times_haveAllUsualForms(String text, long microsAfterTime) {
    assertThat(LogTime.parseMicros(text)).isEqualTo(TIME + microsAfterTime);
  }

  @Test
  void gzip_isRecognizedByItsContent() throws IOException {
    assertThat(read(gzip(COMMON + "\n"), new AccessLog("log", false))).hasSize(1);
    byte[] whole = gzip((COMMON + "\n").repeat(10));
    byte[] cut = Arrays.copyOf(whole, whole.length - 9);
    assertThatThrownBy(() -> read(cut, new AccessLog("a.gz", false)))
        .hasMessageStartingWith("a.gz:")
        .hasMessageContaining("damaged or cut off");
  }

  @Test
  void invalidLine_isErrorWithItsPlaceOrSkipped() throws IOException {
    String text = COMMON + "\nnot a log\n" + COMMON + "\n";
    assertThatThrownBy(() -> read(text))
        .hasMessageStartingWith("log:2: is not a line of the common or combined log format");
    AccessLog log = new AccessLog("log", true);
    assertThat(read(text.getBytes(UTF_8), log)).hasSize(2);
    assertThat(log.invalidLines()).isEqualTo(1);
    assertThat(log.firstProblem()).startsWith("log:2: is not");
  }

  @Test
  void invalidRequest_isSkippedAndCounted() throws IOException {
    AccessLog log = new AccessLog("log", false);
    String scan = COMMON.replace("GET /v1/a//b?x=1 HTTP/1.1", "\\x16\\x03\\x01");
    assertThat(read((COMMON + "\n" + scan + "\n").getBytes(UTF_8), log)).hasSize(1);
    assertThat(log.invalidRequests()).isEqualTo(1);
    assertThat(log.firstProblem()).startsWith("log:2: ");
  }

  @Test
  void otherMistakes_nameLineAndRemedy() {
    assertThatThrownBy(() -> read("")).hasMessage("log: is empty; use a log with requests");
    assertThatThrownBy(() -> read("a,b\n1,2\n"))
        .hasMessageContaining("log:1: must be a CSV header");
    assertThatThrownBy(() -> read("time,ip\n1\n"))
        .hasMessage("log:2: must have 2 values as the header does (has 1)");
    assertThatThrownBy(() -> read("time,ip\n1,\"a\n")).hasMessageContaining("log:2: has a quote");
    assertThatThrownBy(() -> read("time,ip\nnoon,a\n"))
        .hasMessageStartingWith("log:2: time must be a date or a number of seconds (was 'noon')");
    assertThatThrownBy(() -> read("time,cost\n1,0\n")).hasMessageContaining("log:2: cost must be");
    assertThatThrownBy(() -> read("{\"a\":1}\n")).hasMessageContaining("log:1: has no time");
    assertThatThrownBy(() -> read("{\"a\":\n"))
        .hasMessageContaining("log:1: must be a JSON object");
  }

  @Test
  void longLog_isReadLineByLine() throws IOException {
    byte[] line = (COMMON + "\n").getBytes(UTF_8);
    int lines = 200_000;
    Enumeration<InputStream> parts =
        Collections.enumeration(
            Collections.nCopies(lines, line).stream()
                .map(part -> (InputStream) new ByteArrayInputStream(part))
                .toList());
    InputStream manyLines = new SequenceInputStream(parts);
    long[] requests = {0};
    new AccessLog("log", false).forEach(manyLines, request -> requests[0]++);
    assertThat(requests[0]).isEqualTo(lines);
  }
}
