package io.weir.server.admin;

import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.http.Json;
import io.weir.lab.Burst;
import io.weir.lab.Edge;
import io.weir.lab.Finding;
import io.weir.lab.Finding.Series;
import io.weir.lab.Skew;
import io.weir.lab.Sync;
import io.weir.lab.Trace;
import io.weir.lab.TraceLine;
import io.weir.rule.Durations;
import io.weir.rule.Rate;
import io.weir.server.web.BadInput;
import io.weir.server.web.JsonFields;
import io.weir.server.web.Route;
import io.weir.server.web.Route.Content;
import io.weir.server.web.Route.Parameter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The calls that make an experiment and tell what it found; nothing of the node is touched. */
final class LabCalls {
  private static final Content CSV =
      new Content(List.of("text/csv"), "{\"type\":\"string\",\"example\":\"0.5,alice,1\"}");

  private final Work work;

  LabCalls(Work work) {
    this.work = work;
  }

  List<Route> routes() {
    return List.of(
        route(
            "edge",
            "A limit asked for twice, across the edge of its window",
            q ->
                new Edge(q.number("limit", 100), q.time("window", "1m"), q.part("position", 0.9))
                    .run(),
            "limit",
            "window",
            "position"),
        route(
            "sync",
            "By how much nodes overrun a limit that reconcile every interval",
            q ->
                new Sync(q.count("nodes", 3), q.number("limit", 60), q.time("interval", "400ms"))
                    .run(),
            "nodes",
            "limit",
            "interval"),
        route(
            "skew",
            "What wrong clocks do, the nodes' or the store's counting",
            q ->
                new Skew(q.count("nodes", 3), q.number("limit", 60), q.time("skew", "300ms")).run(),
            "nodes",
            "limit",
            "skew"),
        route(
            "burst",
            "One burst at a token bucket and at a leaky bucket",
            q ->
                new Burst(q.number("limit", 100), q.number("burst", 50), q.number("requests", 80))
                    .run(),
            "limit",
            "burst",
            "requests"),
        trace());
  }

  private Route trace() {
    return new Route(
        POST,
        "/admin/lab/trace",
        "Requests that happened, through all algorithms",
        List.of(Parameter.query("limit"), Parameter.query("burst")),
        CSV,
        List.of(200, 413, 415),
        this::trace);
  }

  private void trace(HttpServerRequest http, String id) {
    Query query = new Query(http.params(true));
    Asked.body(
        http,
        CSV,
        work,
        body -> {
          List<String> lines = body.toString(UTF_8).lines().toList();
          return answer(
              query,
              q -> new Trace(TraceLine.read(lines), q.rate("limit"), q.number("burst", 0)).run());
        });
  }

  private Route route(
      String name, String summary, Function<Query, Finding> experiment, String... parameters) {
    Parameter[] asked = Stream.of(parameters).map(Parameter::query).toArray(Parameter[]::new);
    return new Route(
            GET,
            "/admin/lab/" + name,
            summary,
            List.of(),
            List.of(200),
            (http, id) -> {
              Query query = new Query(http.params(true));
              work.answer(http, () -> answer(query, experiment));
            })
        .asking(asked);
  }

  private static Answer answer(Query query, Function<Query, Finding> experiment) throws BadInput {
    try {
      return Answer.ok(json(experiment.apply(query)));
    } catch (IllegalArgumentException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
  }

  /** What a request says of an experiment; what it leaves out has a usual value. */
  private record Query(MultiMap sent) {
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

    double part(String name, double usual) {
      String text = text(name);
      if (text != null && !text.matches("[0-9](\\.[0-9]{1,9})?")) {
        throw new IllegalArgumentException(name + " is no part; send 0 to 1, such as " + usual);
      }
      return text == null ? usual : Double.parseDouble(text);
    }

    /** A duration; a number alone is milliseconds, as sliders have it. */
    Duration time(String name, String usual) {
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
      return sent.get(name);
    }
  }

  private static String json(Finding finding) {
    JsonFields figures = new JsonFields();
    finding.figures().forEach((name, value) -> figures.json(name, Finding.number(value)));
    return new JsonFields()
        .text("title", finding.title())
        .json("figures", figures.end())
        .json("axes", new JsonFields().text("x", finding.x()).text("y", finding.y()).end())
        .list("series", finding.series().stream().map(LabCalls::json).toList())
        .texts("headings", finding.headings())
        .list("rows", finding.rows().stream().map(LabCalls::row).toList())
        .end();
  }

  private static String json(Series series) {
    List<String> points =
        series.points().stream()
            .map(p -> "[" + Finding.number(p.x()) + "," + Finding.number(p.y()) + "]")
            .toList();
    return new JsonFields().text("name", series.name()).list("points", points).end();
  }

  private static String row(List<String> cells) {
    return JsonFields.array(
        cells.stream().map(cell -> Json.quote(new StringBuilder(), cell).toString()).toList());
  }
}
