// Plots drawn by hand as SVG: stacked areas over time, lines, and small ones for tables.
import { h, s, put, number } from "./dom.js";

const LEFT = 44;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;

/** A round number at least as large, and the step of its grid. */
export function scale(most) {
  const target = Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(target));
  const step = [0.25, 0.5, 1, 2, 2.5].map(m => m * power).find(m => target / m <= 4 && (m >= 1 || power > 1)) ?? power * 2.5;
  return { top: Math.ceil(target / step) * step, step };
}

const path = points => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function grid(width, height, y, top, step) {
  const lines = [];
  for (let v = 0; v <= top + step / 2; v += step) {
    lines.push(s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(v), y2: y(v) }));
    lines.push(s("text", { x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, number(v)));
  }
  return lines;
}

function times(width, height, from, to) {
  const span = to - from;
  const step = [60, 300, 900, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 14 * 86400, 30 * 86400].find(t => (span / t) * 74 <= width - LEFT) ?? 30 * 86400;
  const zone = new Date(from * 1000).getTimezoneOffset() * 60;
  const marks = [];
  for (let t = Math.ceil((from - zone) / step) * step + zone; t <= to; t += step) {
    const at = new Date(t * 1000);
    const text = step >= 86400 ? at.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) : at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    const x = LEFT + ((t - from) / span) * (width - LEFT - RIGHT);
    if (x > LEFT + 14 && x < width - 18) marks.push(s("text", { x, y: height - 5, "text-anchor": "middle" }, text));
  }
  return marks;
}

/**
 * Allowed and refused, stacked, over time, and what shadow rules would have refused as a line.
 * `draw({from, to, step, points})` draws [time, allowed, refused, shadow], added up by the step and shown by the second.
 */
export function traffic(height = 210) {
  const svg = s("svg", { class: "plot", height, role: "img", "aria-label": "Nothing is drawn yet" });
  const readout = h("div", { class: "readout" });
  const element = h("div", {}, svg, readout);
  let drawn = null;
  let at = null;

  function paint() {
    const width = svg.clientWidth || element.clientWidth || 600;
    const { from, to, step, points } = drawn;
    const known = new Map();
    for (const p of points) {
      const began = Math.floor(p[0] / step) * step;
      const sum = known.get(began) ?? [began, 0, 0, 0];
      known.set(began, [began, sum[1] + p[1], sum[2] + p[2], sum[3] + p[3]]);
    }
    const steps = []; // those that are over
    for (let t = Math.ceil(from / step) * step; t + step <= to + 1; t += step) steps.push(known.get(t) ?? [t, 0, 0, 0]);
    const most = Math.max(1, ...steps.map(p => Math.max(p[1] + p[2], p[3]))) / step;
    const { top, step: tick } = scale(most);
    const x = t => LEFT + ((t - from) / (to - from)) * (width - LEFT - RIGHT);
    const y = v => TOP + (1 - v / top) * (height - TOP - BOTTOM);
    const area = (low, high) => `${path(steps.map(p => [x(p[0]), y(high(p) / step)]))}${path(steps.map(p => [x(p[0]), y(low(p) / step)]).reverse()).replace("M", "L")}Z`;
    const some = steps.length > 1;
    const cursor = s("line", { class: "cursor", x1: -9, x2: -9, y1: TOP, y2: height - BOTTOM });
    put(svg,
      grid(width, height, y, top, tick),
      times(width, height, from, to),
      some && s("path", { class: "a-allowed", d: area(() => 0, p => p[1]) }),
      some && s("path", { class: "a-refused", d: area(p => p[1], p => p[1] + p[2]) }),
      some && s("path", { class: "edge", d: path(steps.map(p => [x(p[0]), y(p[1] / step)])) }),
      some && steps.some(p => p[3]) && s("path", { class: "a-shadow", d: path(steps.map(p => [x(p[0]), y(p[3] / step)])) }),
      cursor);
    const sum = steps.reduce((a, p) => [a[0] + p[1], a[1] + p[2], a[2] + p[3]], [0, 0, 0]);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${number(sum[0])} allowed, ${number(sum[1])} refused, ${number(sum[2])} by shadow rules`);
    show(steps, sum, x, cursor);
  }

  function show(steps, sum, x, cursor) {
    let values = sum;
    let when = "in all";
    if (at !== null && steps.length) {
      const found = steps.reduce((a, b) => (Math.abs(x(b[0]) - at) < Math.abs(x(a[0]) - at) ? b : a));
      values = found.slice(1);
      when = new Date(found[0] * 1000).toLocaleString("en-GB", drawn.step >= 60 ? { dateStyle: "short", timeStyle: "short" } : { timeStyle: "medium" });
      cursor.setAttribute("x1", x(found[0]));
      cursor.setAttribute("x2", x(found[0]));
    }
    put(readout,
      h("span", { class: "key allowed" }, `${number(values[0])} allowed`),
      h("span", { class: "key refused" }, `${number(values[1])} refused`),
      h("span", { class: "key shadow" }, `${number(values[2])} shadow would refuse`),
      h("span", {}, when));
  }

  svg.addEventListener("pointermove", e => {
    at = e.clientX - svg.getBoundingClientRect().left;
    if (drawn) paint();
  });
  svg.addEventListener("pointerleave", () => {
    at = null;
    if (drawn) paint();
  });
  new ResizeObserver(() => drawn && paint()).observe(element);
  return {
    element,
    draw(next) {
      drawn = next;
      paint();
    },
  };
}

/** A small plot of one rule's points over a span that ends now. */
export function spark(points, now, span) {
  const width = 120;
  const height = 26;
  const bins = Array.from({ length: 60 }, () => [0, 0, 0]);
  for (const p of points) {
    const i = Math.floor(((p[0] - (now - span)) / span) * 60 - 0.001);
    if (i >= 0 && i < 60) for (let k = 0; k < 3; k++) bins[i][k] += p[k + 1];
  }
  const most = Math.max(1, ...bins.map(b => Math.max(b[0] + b[1], b[2])));
  const y = v => height - 1 - (v / most) * (height - 3);
  const area = (low, high) => `${path(bins.map((b, i) => [i * 2 + 1, y(high(b))]))}${path(bins.map((b, i) => [i * 2 + 1, y(low(b))]).reverse()).replace("M", "L")}Z`;
  return s("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    s("path", { class: "a-allowed", d: area(() => 0, b => b[0]) }),
    s("path", { class: "a-refused", d: area(b => b[0], b => b[0] + b[1]) }),
    bins.some(b => b[2]) && s("path", { class: "a-shadow", d: path(bins.map((b, i) => [i * 2 + 1, y(b[2])])) }));
}

/** Bars of two kinds, one behind the other. */
export function bars(front, behind, label) {
  const width = 600;
  const height = 70;
  const most = Math.max(1, ...front, ...behind);
  const each = width / front.length;
  const bar = (v, i, name, inset) => v > 0 && s("rect", { class: name, x: (i * each + inset).toFixed(1), width: (each - 2 * inset).toFixed(1), y: (height - (v / most) * height).toFixed(1), height: ((v / most) * height).toFixed(1) });
  return s("svg", { class: "plot", height, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    behind.map((v, i) => bar(v, i, "a-allowed", 0.5)), front.map((v, i) => bar(v, i, "a-refused", 2)),
    s("line", { class: "grid", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }));
}

/** Lines over numbers: `draw([{name, points: [[x, y], …]}], {x: "label"})`. */
export function lines(height = 220) {
  const svg = s("svg", { class: "plot", height, role: "img", "aria-label": "Nothing is drawn yet" });
  const legend = h("div", { class: "readout" });
  const element = h("div", {}, svg, legend);
  let drawn = null;
  const kinds = ["", "b", "c", "d", "e"];

  function paint() {
    const width = svg.clientWidth || 600;
    const { series, label } = drawn;
    const all = series.flatMap(one => one.points);
    const xs = all.map(p => p[0]);
    const from = Math.min(...xs);
    const to = Math.max(...xs, from + 1e-9);
    const { top, step } = scale(Math.max(...all.map(p => p[1])));
    const x = v => LEFT + ((v - from) / (to - from)) * (width - LEFT - RIGHT);
    const y = v => TOP + (1 - v / top) * (height - TOP - BOTTOM);
    put(svg,
      grid(width, height, y, top, step),
      [from, (from + to) / 2, to].map((v, i) => s("text", { x: x(v), y: height - 5, "text-anchor": ["start", "middle", "end"][i] }, `${number(Math.round(v * 100) / 100)}${i === 2 && label ? ` ${label}` : ""}`)),
      series.map((one, i) => s("path", { class: `a-line ${kinds[i % 5]}`, d: path(one.points.map(p => [x(p[0]), y(p[1])])) })));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", series.map(one => one.name).join(", "));
    put(legend, series.map((one, i) => h("span", { class: "row tight" }, s("svg", { width: 18, height: 8, class: "plot-key", "aria-hidden": "true" }, s("path", { class: `a-line ${kinds[i % 5]}`, d: "M0 4H18" })), one.name)));
  }
  new ResizeObserver(() => drawn && paint()).observe(element);
  return {
    element,
    draw(series, label) {
      drawn = { series, label };
      if (series.some(one => one.points.length)) paint();
    },
  };
}
