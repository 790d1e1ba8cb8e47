package io.weir.admin.dashboard;

import static io.vertx.core.http.HttpMethod.GET;

import io.weir.web.ApiRoute;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of the dashboard. They are public and contain no data: the page asks for the token and
 * then calls the admin API like any other client.
 */
public final class Dashboard {
  private static final String PATH_PREFIX = "/dashboard/";
  private static final String INDEX_FILE = "index.html";
  private static final List<String> FILES =
      List.of(
          "style.css",
          "icon.svg",
          "app.js",
          "dom.js",
          "api.js",
          "feed.js",
          "plot.js",
          "parts.js",
          "live.js",
          "rules.js",
          "editor.js",
          "form.js",
          "callers.js",
          "keys.js",
          "nodes.js",
          "lab.js");

  private final List<DashboardFile> files;

  private Dashboard(List<DashboardFile> pages) {
    this.files = pages;
  }

  /** Reads the files from the jar. */
  public static Dashboard read() {
    List<DashboardFile> pages = new ArrayList<>();
    pages.add(new DashboardFile("/", INDEX_FILE, readFile(INDEX_FILE)));
    FILES.forEach(file -> pages.add(new DashboardFile(PATH_PREFIX + file, file, readFile(file))));
    return new Dashboard(pages);
  }

  /** Returns a route for each file. */
  public List<ApiRoute> routes() {
    return files.stream()
        .map(
            page ->
                new ApiRoute(
                    GET,
                    page.path(),
                    "The dashboard",
                    List.of(),
                    List.of(200, 304),
                    (http, id) -> page.send(http)))
        .toList();
  }

  private static byte[] readFile(String file) {
    try (InputStream in = Dashboard.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing in the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
