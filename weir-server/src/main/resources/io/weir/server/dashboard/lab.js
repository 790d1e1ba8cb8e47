// Lab: what algorithms and nodes do, tried by the limiter itself under a clock that is turned by hand.
import { h, put, exact, settled } from "./dom.js";
import { ask } from "./api.js";
import { lines } from "./plot.js";
import { head, sheet, empty, segments, table, failed } from "./parts.js";

const per = (name, label, value, min, max, step = 1) => ({ name, label, value, min, max, step });
const EXPERIMENTS = [
  { id: "edge", title: "Window edge", text: "The whole limit late in one window, and again as the next one begins: a fixed window lets twice the limit through, the others do not.",
    sliders: [per("limit", "Limit, permits", 100, 1, 1000), per("window", "Window, ms", 60000, 1000, 60000, 1000), per("position", "First burst at, of the window", 0.99, 0, 1, 0.01)] },
  { id: "sync", title: "Sync lag", text: "Nodes that learn of each other only every interval admit more than the limit; asking the store each time (0 ms) is exact.",
    sliders: [per("nodes", "Nodes", 3, 1, 10), per("limit", "Limit a second", 60, 1, 500), per("interval", "Interval, ms", 400, 0, 1000, 10)] },
  { id: "skew", title: "Clock skew", text: "Nodes whose clocks disagree, with the store's time and with their own.",
    sliders: [per("nodes", "Nodes", 3, 2, 10), per("limit", "Limit a second", 60, 1, 200), per("skew", "Clocks apart by, ms", 300, 0, 2000, 10)] },
  { id: "burst", title: "Leaky or token", text: "One burst at two buckets: both admit as much, but one lets it out at once and the other at its rate.",
    sliders: [per("limit", "Limit a second", 5, 1, 200), per("burst", "Bucket, queue", 10, 1, 400), per("requests", "Requests at once", 15, 1, 1000)] },
  { id: "trace", title: "A trace", text: "Requests of your own through all five algorithms, side by side: a line each of seconds, caller and cost.",
    sliders: [per("limit", "Limit a second", 5, 1, 200), per("burst", "Bucket, queue", 10, 1, 400)],
    csv: "time,key,cost\n0,ann,1\n0,ann,1\n0.1,ann,1\n0.2,ann,3\n0.9,ann,2\n1.0,ann,5\n1.05,ann,5\n2.5,ann,1\n" },
];

export function labPage(signal, path) {
  const place = h("div", { class: "stack" });
  const chosen = EXPERIMENTS.find(one => one.id === path) ?? EXPERIMENTS[0];
  put(place, experiment(chosen, signal));
  return [
    head("Lab", "Every figure comes from the limiter itself, under a clock that is turned by hand and a network that is made up; move a slider."),
    h("div", {}, segments("Experiment", EXPERIMENTS.map(one => [one.id, one.title]), chosen.id, id => { location.hash = `#/lab/${id}`; })),
    place,
  ];
}

function experiment(one, signal) {
  const values = Object.fromEntries(one.sliders.map(slider => [slider.name, slider.value]));
  const figures = h("div", { class: "tiles" });
  const rows = h("div");
  const title = h("p", { class: "quiet" });
  const axis = h("p", { class: "small quiet" });
  const plot = lines(260);
  const said = h("div", { "aria-live": "polite" });
  const csv = one.csv && h("textarea", { class: "code", name: "csv", "aria-label": "The trace as CSV", spellcheck: "false", value: one.csv, oninput: () => soon() });
  let asking = new AbortController();

  async function run() {
    asking.abort();
    asking = new AbortController();
    signal.addEventListener("abort", () => asking.abort(), { once: true });
    const query = `/admin/lab/${one.id}?${new URLSearchParams(values)}`;
    const { content } = await ask(csv ? "POST" : "GET", query, csv ? { body: csv.value, type: "text/csv", signal: asking.signal } : { signal: asking.signal });
    put(said);
    put(title, content.title);
    put(figures, Object.entries(content.figures).filter(([name]) => !Object.keys(values).some(slider => name === slider || name === `${slider}_ms`)).map(([name, value]) => h("div", { class: "tile" }, h("b", {}, `${exact(Math.round(value * 100) / 100)}${name.endsWith("factor") ? "×" : ""}`), h("span", {}, name.replaceAll("_", " ")))));
    plot.draw(content.series, content.axes.x);
    put(axis, content.axes.y);
    put(rows, content.rows.length > 0 && sheet("Side by side", null, table(content.headings.map((text, i) => (i ? [text, "n"] : text)), content.rows.map(row => h("tr", {}, row.map((cell, i) => h("td", { class: i ? "n" : "" }, cell)))), one.title)));
  }
  const again = () => run().catch(e => {
    if (e.name === "AbortError") return;
    put(said, e.status === 404 ? empty("This server has no such experiment", "weir simulate has them on the command line.") : failed(e));
  });
  const soon = settled(120, again);

  function slider(of) {
    const shown = h("output", {}, exact(of.value));
    const input = h("input", { type: "range", name: of.name, min: of.min, max: of.max, step: of.step, "aria-label": of.label, oninput: () => {
      values[of.name] = input.value;
      put(shown, exact(Number(input.value)));
      soon();
    } });
    input.value = of.value; // once its bounds are known
    return h("label", {}, h("span", { class: "row" }, h("span", { class: "grow" }, of.label), shown), input);
  }

  queueMicrotask(again);
  return [
    h("div", { class: "sheet stack" }, h("p", {}, one.text), h("div", { class: "fields" }, one.sliders.map(slider)), csv),
    said, figures,
    sheet("Drawn", null, title, axis, plot.element),
    rows,
  ];
}
