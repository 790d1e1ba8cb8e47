// Lab page: simulations of algorithms and nodes, run by the real limiter with a simulated clock.
import { h, replaceContent, formatExact, debounce } from "./dom.js";
import { request } from "./api.js";
import { linePlot } from "./plot.js";
import { pageHeader, panel, emptyState, segmentedControl, table, errorBanner, notFound } from "./parts.js";

const sliderSpec = (name, label, value, min, max, step = 1) => ({ name, label, value, min, max, step });
const EXPERIMENTS = [
  { id: "edge", title: "Window edge", text: "The whole limit is used late in one window and again at the start of the next: a fixed window admits twice the limit, the other algorithms do not.",
    sliders: [sliderSpec("limit", "Limit, permits", 100, 1, 1000), sliderSpec("window", "Window, ms", 60000, 1000, 60000, 1000), sliderSpec("position", "First burst at, fraction of the window", 0.99, 0, 1, 0.01)] },
  { id: "sync", title: "Sync lag", text: "Nodes that synchronize only every interval admit more than the limit; with an interval of 0 ms every decision uses the store and is exact.",
    sliders: [sliderSpec("nodes", "Nodes", 3, 1, 10), sliderSpec("limit", "Limit per second", 60, 1, 500), sliderSpec("interval", "Interval, ms", 400, 0, 1000, 10)] },
  { id: "skew", title: "Clock skew", text: "Nodes with different clocks, counting by the time of the store and by their own time.",
    sliders: [sliderSpec("nodes", "Nodes", 3, 2, 10), sliderSpec("limit", "Limit per second", 60, 1, 200), sliderSpec("skew", "Clock skew, ms", 300, 0, 2000, 10)] },
  { id: "burst", title: "Token or leaky bucket", text: "One burst on two buckets: both admit the same number, the token bucket at once, the leaky bucket at its rate.",
    sliders: [sliderSpec("limit", "Limit per second", 5, 1, 200), sliderSpec("burst", "Burst (bucket or queue size)", 10, 1, 400), sliderSpec("requests", "Requests at once", 15, 1, 1000)] },
  { id: "trace", title: "Trace replay", text: "Your own requests on all five algorithms, side by side; each line has seconds, caller and cost.",
    sliders: [sliderSpec("limit", "Limit per second", 5, 1, 200), sliderSpec("burst", "Burst (bucket or queue size)", 10, 1, 400)],
    csv: "time,key,cost\n0,ann,1\n0,ann,1\n0.1,ann,1\n0.2,ann,3\n0.9,ann,2\n1.0,ann,5\n1.05,ann,5\n2.5,ann,1\n" },
];

export function labPage(signal, path) {
  const content = h("div", { class: "stack" });
  const selected = path ? EXPERIMENTS.find(spec => spec.id === path) : EXPERIMENTS[0];
  if (!selected) return notFound(`there is no experiment “${path}”`, h("a", { href: "#/lab" }, "All experiments"));
  replaceContent(content, experiment(selected, signal));
  return [
    pageHeader("Lab", "Simulations with the real limiter, a simulated clock and a simulated network. Move a slider to change a parameter."),
    h("div", {}, segmentedControl("Experiment", EXPERIMENTS.map(spec => [spec.id, spec.title]), selected.id, id => { location.hash = `#/lab/${id}`; })),
    content,
  ];
}

function experiment(spec, signal) {
  const values = Object.fromEntries(spec.sliders.map(slider => [slider.name, slider.value]));
  const figures = h("div", { class: "tiles" });
  const rows = h("div");
  const title = h("p", { class: "muted" });
  const axis = h("p", { class: "small muted" });
  const plot = linePlot(260);
  const status = h("div", { "aria-live": "polite" });
  const csv = spec.csv && h("textarea", { class: "code", name: "csv", "aria-label": "The trace as CSV", spellcheck: "false", value: spec.csv, oninput: () => reloadSoon() });
  let requestAbort = new AbortController();

  async function run() {
    requestAbort.abort();
    requestAbort = new AbortController();
    signal.addEventListener("abort", () => requestAbort.abort(), { once: true });
    const query = `/admin/lab/${spec.id}?${new URLSearchParams(values)}`;
    const { content } = await request(csv ? "POST" : "GET", query, csv ? { body: csv.value, type: "text/csv", signal: requestAbort.signal } : { signal: requestAbort.signal });
    replaceContent(status);
    replaceContent(title, content.title);
    replaceContent(figures, Object.entries(content.figures).filter(([name]) => !Object.keys(values).some(slider => name === slider || name === `${slider}_ms`)).map(([name, value]) => h("div", { class: "tile" }, h("b", {}, `${formatExact(Math.round(value * 100) / 100)}${name.endsWith("factor") ? "×" : ""}`), h("span", {}, name.replaceAll("_", " ")))));
    plot.draw(content.series, content.axes.x);
    replaceContent(axis, content.axes.y);
    replaceContent(rows, content.rows.length > 0 && panel("Side by side", null, table(content.headings.map((text, i) => (i ? [text, "numeric"] : text)), content.rows.map(row => h("tr", {}, row.map((cell, i) => h("td", { class: i ? "numeric" : "" }, cell)))), spec.title)));
  }
  const reload = () => run().catch(e => {
    if (e.name === "AbortError") return;
    replaceContent(status, e.status === 404 ? emptyState("This server does not have this experiment", "On the command line, use weir simulate.") : errorBanner(e));
  });
  const reloadSoon = debounce(120, reload);

  function sliderInput(slider) {
    const shown = h("output", {}, formatExact(slider.value));
    const input = h("input", { type: "range", name: slider.name, min: slider.min, max: slider.max, step: slider.step, "aria-label": slider.label, oninput: () => {
      values[slider.name] = input.value;
      replaceContent(shown, formatExact(Number(input.value)));
      reloadSoon();
    } });
    input.value = slider.value; // after min and max, which bound it
    return h("label", {}, h("span", { class: "row" }, h("span", { class: "grow" }, slider.label), shown), input);
  }

  queueMicrotask(reload);
  return [
    h("div", { class: "panel stack" }, h("p", {}, spec.text), h("div", { class: "fields" }, spec.sliders.map(sliderInput)), csv),
    status, figures,
    panel("Chart", null, title, axis, plot.element),
    rows,
  ];
}
