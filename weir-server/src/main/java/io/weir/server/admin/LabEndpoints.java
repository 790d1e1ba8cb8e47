package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.http.JsonText;
import io.weir.lab.BurstExperiment;
import io.weir.lab.ClockSkewExperiment;
import io.weir.lab.ExperimentResult;
import io.weir.lab.ExperimentResult.PlotSeries;
import io.weir.lab.SyncExperiment;
import io.weir.lab.TraceExperiment;
import io.weir.lab.TraceLine;
import io.weir.lab.WindowEdgeExperiment;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.server.web.ApiRoute;
import io.weir.server.web.ApiRoute.RequestContent;
import io.weir.server.web.ApiRoute.RouteParameter;
import io.weir.server.web.InvalidInputException;
import io.weir.server.web.JsonObjectBuilder;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The calls that make an experiment and tell what it found; nothing of the node is touched. */
final class LabEndpoints {
  private static final RequestContent CSV =
      new RequestContent(List.of("text/csv"), "{\"type\":\"string\",\"example\":\"0.5,alice,1\"}");

  private final AdminWorkerPool workers;

  LabEndpoints(AdminWorkerPool work) {
    this.workers = work;
  }

  List<ApiRoute> routes() {
    return List.of(
        route(
            "edge",
            "A limit asked for twice, across the edge of its window",
            q ->
                new WindowEdgeExperiment(
                        q.number("limit", 100),
                        q.duration("window", "1m"),
                        q.fraction("position", 0.9))
                    .run(),
            "limit",
            "window",
            "position"),
        route(
            "sync",
            "By how much nodes overrun a limit that reconcile every interval",
            q ->
                new SyncExperiment(
                        q.count("nodes", 3), q.number("limit", 60), q.duration("interval", "400ms"))
                    .run(),
            "nodes",
            "limit",
            "interval"),
        route(
            "skew",
            "What wrong clocks do, the nodes' or the store's counting",
            q ->
                new ClockSkewExperiment(
                        q.count("nodes", 3), q.number("limit", 60), q.duration("skew", "300ms"))
                    .run(),
            "nodes",
            "limit",
            "skew"),
        route(
            "burst",
            "One burst at a token bucket and at a leaky bucket",
            q ->
                new BurstExperiment(
                        q.number("limit", 100), q.number("burst", 50), q.number("requests", 80))
                    .run(),
            "limit",
            "burst",
            "requests"),
        runTrace());
  }

  private ApiRoute runTrace() {
    return new ApiRoute(
        POST,
        "/admin/lab/trace",
        "Requests that happened, through all algorithms",
        List.of(RouteParameter.query("limit"), RouteParameter.query("burst")),
        CSV,
        List.of(200, 413, 415),
        this::runTrace);
  }

  private void runTrace(HttpServerRequest http, String id) {
    ExperimentParameters query = new ExperimentParameters(http.params(true));
    AdminRequest.readBody(
        http,
        CSV,
        workers,
        body -> {
          List<String> lines = body.toString(UTF_8).lines().toList();
          return respondWith(
              query,
              q ->
                  new TraceExperiment(TraceLine.read(lines), q.rate("limit"), q.number("burst", 0))
                      .run());
        });
  }

  private ApiRoute route(
      String name,
      String summary,
      Function<ExperimentParameters, ExperimentResult> experiment,
      String... parameters) {
    RouteParameter[] asked =
        Stream.of(parameters).map(RouteParameter::query).toArray(RouteParameter[]::new);
    return new ApiRoute(
            GET,
            "/admin/lab/" + name,
            summary,
            List.of(),
            List.of(200),
            (http, id) -> {
              ExperimentParameters query = new ExperimentParameters(http.params(true));
              workers.respond(http, () -> respondWith(query, experiment));
            })
        .withParameters(asked);
  }

  private static AdminResponse respondWith(
      ExperimentParameters query, Function<ExperimentParameters, ExperimentResult> experiment)
      throws InvalidInputException {
    try {
      return AdminResponse.ok(json(experiment.apply(query)));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  /** What a request says of an experiment; what it leaves out has a usual value. */
  private record ExperimentParameters(MultiMap parameters) {
    long number(String name, long usual) {
      String text = text(name);
      if (text != null && !text.matches("[0-9]{1,15}")) {
        throw new IllegalArgumentException(
            name + " is no number; send a whole one, such as " + usual);
      }
      return text == null ? usual : Long.parseLong(text);
    }

    int count(String name, int usual) {
      return (int) Math.min(Integer.MAX_VALUE, number(name, usual));
    }

    double fraction(String name, double usual) {
      String text = text(name);
      if (text != null && !text.matches("[0-9](\\.[0-9]{1,9})?")) {
        throw new IllegalArgumentException(name + " is no part; send 0 to 1, such as " + usual);
      }
      return text == null ? usual : Double.parseDouble(text);
    }

    /** A duration; a number alone is milliseconds, as sliders have it. */
    Duration duration(String name, String usual) {
      String text = text(name);
      String said = text == null ? usual : text;
      return Durations.parse(said.matches("[0-9]{1,12}") ? said + "ms" : said);
    }

    /** A rate; a number alone is by the second. */
    Rate rate(String name) {
      String text = text(name);
      String said = text == null ? "10" : text;
      return Rate.parse(said.matches("[0-9]{1,15}") ? said + "/second" : said);
    }

    private @Nullable String text(String name) {
      return parameters.get(name);
    }
  }

  private static String json(ExperimentResult finding) {
    JsonObjectBuilder figures = new JsonObjectBuilder();
    finding
        .figures()
        .forEach((name, value) -> figures.rawJson(name, ExperimentResult.formatNumber(value)));
    return new JsonObjectBuilder()
        .text("title", finding.title())
        .rawJson("figures", figures.build())
        .rawJson(
            "axes",
            new JsonObjectBuilder().text("x", finding.xLabel()).text("y", finding.yLabel()).build())
        .rawJsonList("series", finding.series().stream().map(LabEndpoints::json).toList())
        .textList("headings", finding.headings())
        .rawJsonList("rows", finding.rows().stream().map(LabEndpoints::row).toList())
        .build();
  }

  private static String json(PlotSeries series) {
    List<String> points =
        series.points().stream()
            .map(
                p ->
                    "["
                        + ExperimentResult.formatNumber(p.x())
                        + ","
                        + ExperimentResult.formatNumber(p.y())
                        + "]")
            .toList();
    return new JsonObjectBuilder()
        .text("name", series.name())
        .rawJsonList("points", points)
        .build();
  }

  private static String row(List<String> cells) {
    return JsonObjectBuilder.jsonArray(
        cells.stream().map(cell -> JsonText.quote(new StringBuilder(), cell).toString()).toList());
  }
}
