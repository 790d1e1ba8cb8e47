package io.weir.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.RunningServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard files are public, contain no data, and load nothing from other origins. */
@Timeout(60)
class DashboardFilesTest {
  private static final Path FILES =
      Path.of("../weir-admin/src/main/resources/io/weir/admin/dashboard");

  @TempDir Path folder;

  @Test
  void everyFile_hasStrictHeaders() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    try (RunningServer server = RunningServer.start(folder, "rules: []", "admin-port", "0");
        Stream<Path> files = Files.list(FILES)) {
      long bytes = 0;
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        String path = name.equals("index.html") ? "/" : "/dashboard/" + name;
        URI uri = URI.create("http://127.0.0.1:" + server.port("admin") + path);
        HttpResponse<byte[]> page =
            client.send(
                HttpRequest.newBuilder(uri).header("Accept-Encoding", "gzip").build(),
                BodyHandlers.ofByteArray());
        assertThat(page.statusCode()).as(path).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
            .contains("default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'")
            .doesNotContain("unsafe");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(page.headers().firstValue("Content-Encoding")).contains("gzip");
        bytes += page.body().length;
        HttpRequest again =
            HttpRequest.newBuilder(uri)
                .header("If-None-Match", page.headers().firstValue("ETag").orElse(""))
                .build();
        assertThat(client.send(again, BodyHandlers.discarding()).statusCode()).isEqualTo(304);
      }
      assertThat(bytes).as("compressed size of all files").isLessThan(300_000);
    }
  }

  @Test
  void files_containNoInlineCodeOrExternalUrls() throws Exception {
    try (Stream<Path> files = Files.list(FILES)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file).replace("http://www.w3.org/2000/svg", "");
        for (String forbidden :
            List.of(
                "innerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "http:",
                "https:",
                "style=\"",
                "onclick=\"")) {
          assertThat(text).as(file.getFileName() + " and " + forbidden).doesNotContain(forbidden);
        }
      }
    }
  }
}
