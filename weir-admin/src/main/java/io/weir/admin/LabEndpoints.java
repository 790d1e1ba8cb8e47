package io.weir.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.internal.Durations;
import io.weir.internal.JsonObjectBuilder;
import io.weir.lab.BurstExperiment;
import io.weir.lab.ClockSkewExperiment;
import io.weir.lab.ExperimentResult;
import io.weir.lab.ExperimentResult.PlotSeries;
import io.weir.lab.SyncExperiment;
import io.weir.lab.TraceExperiment;
import io.weir.lab.TraceLine;
import io.weir.lab.WindowEdgeExperiment;
import io.weir.rule.Rate;
import io.weir.web.ApiRoute;
import io.weir.web.ApiRoute.RequestContent;
import io.weir.web.ApiRoute.RouteParameter;
import io.weir.web.InvalidInputException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Endpoints that run simulations and return the results; the node itself is not affected. */
final class LabEndpoints {
  private static final RequestContent CSV =
      new RequestContent(List.of("text/csv"), "{\"type\":\"string\",\"example\":\"0.5,alice,1\"}");

  private final AdminWorkerPool workers;

  LabEndpoints(AdminWorkerPool workers) {
    this.workers = workers;
  }

  List<ApiRoute> routes() {
    return List.of(
        route(
            "edge",
            "Two bursts around the edge of a window",
            p ->
                new WindowEdgeExperiment(
                        p.number("limit", 100),
                        p.duration("window", "1m"),
                        p.fraction("position", 0.9))
                    .run(),
            "limit",
            "window",
            "position"),
        route(
            "sync",
            "Overshoot of nodes that synchronize every interval",
            p ->
                new SyncExperiment(
                        p.count("nodes", 3), p.number("limit", 60), p.duration("interval", "400ms"))
                    .run(),
            "nodes",
            "limit",
            "interval"),
        route(
            "skew",
            "Effect of clock skew between nodes",
            p ->
                new ClockSkewExperiment(
                        p.count("nodes", 3), p.number("limit", 60), p.duration("skew", "300ms"))
                    .run(),
            "nodes",
            "limit",
            "skew"),
        route(
            "burst",
            "One burst on a token bucket and on a leaky bucket",
            p ->
                new BurstExperiment(
                        p.number("limit", 100), p.number("burst", 50), p.number("requests", 80))
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
        "A request trace replayed on all algorithms",
        List.of(RouteParameter.query("limit"), RouteParameter.query("burst")),
        CSV,
        List.of(200, 413, 415),
        this::runTrace);
  }

  private void runTrace(HttpServerRequest http, String id) {
    ExperimentParameters values = new ExperimentParameters(http.params(true));
    AdminRequest.readBody(
        http,
        CSV,
        workers,
        body -> {
          List<String> lines = body.toString(UTF_8).lines().toList();
          return respondWith(
              values,
              p ->
                  new TraceExperiment(TraceLine.read(lines), p.rate("limit"), p.number("burst", 0))
                      .run());
        });
  }

  private ApiRoute route(
      String name,
      String summary,
      Function<ExperimentParameters, ExperimentResult> experiment,
      String... parameters) {
    RouteParameter[] queryParameters =
        Stream.of(parameters).map(RouteParameter::query).toArray(RouteParameter[]::new);
    return new ApiRoute(
            GET,
            "/admin/lab/" + name,
            summary,
            List.of(),
            List.of(200),
            (http, id) -> {
              ExperimentParameters values = new ExperimentParameters(http.params(true));
              workers.respond(http, () -> respondWith(values, experiment));
            })
        .withParameters(queryParameters);
  }

  private static AdminResponse respondWith(
      ExperimentParameters values, Function<ExperimentParameters, ExperimentResult> experiment)
      throws InvalidInputException {
    try {
      return AdminResponse.ok(json(experiment.apply(values)));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(String.valueOf(e.getMessage()));
    }
  }

  /** The parameters of an experiment; missing parameters have defaults. */
  private record ExperimentParameters(MultiMap parameters) {
    long number(String name, long defaultValue) {
      String text = text(name);
      if (text != null && !text.matches("[0-9]{1,15}")) {
        throw new IllegalArgumentException(
            name + " must be a whole number, for example " + defaultValue);
      }
      return text == null ? defaultValue : Long.parseLong(text);
    }

    int count(String name, int defaultValue) {
      return (int) Math.min(Integer.MAX_VALUE, number(name, defaultValue));
    }

    double fraction(String name, double defaultValue) {
      String text = text(name);
      if (text != null && !text.matches("[0-9](\\.[0-9]{1,9})?")) {
        throw new IllegalArgumentException(
            name + " must be between 0 and 1, for example " + defaultValue);
      }
      return text == null ? defaultValue : Double.parseDouble(text);
    }

    /** Returns a duration; a number without unit is in milliseconds, as the sliders send it. */
    Duration duration(String name, String defaultValue) {
      String text = text(name);
      String value = text == null ? defaultValue : text;
      return Durations.parse(value.matches("[0-9]{1,12}") ? value + "ms" : value);
    }

    /** Returns a rate; a number without unit is per second. */
    Rate rate(String name) {
      String text = text(name);
      String value = text == null ? "10" : text;
      return Rate.parse(value.matches("[0-9]{1,15}") ? value + "/second" : value);
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
        .rawJsonList("rows", finding.rows().stream().map(JsonObjectBuilder::textArray).toList())
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
}
