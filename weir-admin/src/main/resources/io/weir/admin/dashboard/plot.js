// SVG plots: stacked areas over time, lines, bars, and sparklines for tables.
import { h, s, replaceContent, formatNumber } from "./dom.js";

const LEFT = 44;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const LINE_COLORS = 6;
const LABEL_CHARACTER = 6.4; // width of a character of a label, in pixels
const LABEL_HEIGHT = 14;

/** Returns a round axis maximum not below the value, and the grid step. */
export function axisScale(max) {
  const target = Math.max(1, max);
  const power = 10 ** Math.floor(Math.log10(target));
  const step = [0.25, 0.5, 1, 2, 2.5].map(m => m * power).find(m => target / m <= 4 && (m >= 1 || power > 1)) ?? power * 2.5;
  return { top: Math.ceil(target / step) * step, step };
}

const linePath = points => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

function gridLines(width, height, y, top, step) {
  const lines = [];
  for (let v = 0; v <= top + step / 2; v += step) {
    lines.push(s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(v), y2: y(v) }));
    lines.push(s("text", { x: LEFT - 8, y: y(v) + 4, "text-anchor": "end" }, formatNumber(v)));
  }
  return lines;
}

function timeLabels(width, height, from, to) {
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
 * Plots allowed and refused requests as stacked areas over time, and refusals of shadow rules as a line.
 * `draw({from, to, step, points})` sums points [time, allowed, refused, shadow] by step and shows rates per second.
 */
export function trafficPlot(height = 210) {
  const svg = s("svg", { class: "plot", height, role: "img", "aria-label": "No data yet" });
  const readout = h("div", { class: "readout" });
  const element = h("div", {}, svg, readout);
  let drawn = null;
  let pointerX = null;

  function render() {
    const width = svg.clientWidth || element.clientWidth || 600;
    const { from, to, step, points } = drawn;
    const sums = new Map();
    for (const p of points) {
      const start = Math.floor(p[0] / step) * step;
      const sum = sums.get(start) ?? [start, 0, 0, 0];
      sums.set(start, [start, sum[1] + p[1], sum[2] + p[2], sum[3] + p[3]]);
    }
    const steps = []; // complete steps only
    for (let t = Math.ceil(from / step) * step; t + step <= to + 1; t += step) steps.push(sums.get(t) ?? [t, 0, 0, 0]);
    const most = Math.max(1, ...steps.map(p => Math.max(p[1] + p[2], p[3]))) / step;
    const { top, step: tick } = axisScale(most);
    const x = t => LEFT + ((t - from) / (to - from)) * (width - LEFT - RIGHT);
    const y = v => TOP + (1 - v / top) * (height - TOP - BOTTOM);
    const area = (low, high) => `${linePath(steps.map(p => [x(p[0]), y(high(p) / step)]))}${linePath(steps.map(p => [x(p[0]), y(low(p) / step)]).reverse()).replace("M", "L")}Z`;
    const hasSteps = steps.length > 1;
    const cursor = s("line", { class: "cursor", x1: -9, x2: -9, y1: TOP, y2: height - BOTTOM });
    replaceContent(svg,
      gridLines(width, height, y, top, tick),
      timeLabels(width, height, from, to),
      hasSteps && s("path", { class: "a-allowed", d: area(() => 0, p => p[1]) }),
      hasSteps && s("path", { class: "a-refused", d: area(p => p[1], p => p[1] + p[2]) }),
      hasSteps && s("path", { class: "edge", d: linePath(steps.map(p => [x(p[0]), y(p[1] / step)])) }),
      hasSteps && steps.some(p => p[3]) && s("path", { class: "a-shadow", d: linePath(steps.map(p => [x(p[0]), y(p[3] / step)])) }),
      cursor);
    const sum = steps.reduce((a, p) => [a[0] + p[1], a[1] + p[2], a[2] + p[3]], [0, 0, 0]);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", `${formatNumber(sum[0])} allowed, ${formatNumber(sum[1])} refused, ${formatNumber(sum[2])} by shadow rules`);
    showReadout(steps, sum, x, cursor);
  }

  function showReadout(steps, sum, x, cursor) {
    let values = sum;
    let timeText = "total";
    if (pointerX !== null && steps.length) {
      const nearest = steps.reduce((a, b) => (Math.abs(x(b[0]) - pointerX) < Math.abs(x(a[0]) - pointerX) ? b : a));
      values = nearest.slice(1);
      timeText = new Date(nearest[0] * 1000).toLocaleString("en-GB", drawn.step >= 60 ? { dateStyle: "short", timeStyle: "short" } : { timeStyle: "medium" });
      cursor.setAttribute("x1", x(nearest[0]));
      cursor.setAttribute("x2", x(nearest[0]));
    }
    replaceContent(readout,
      h("span", { class: "key allowed" }, `${formatNumber(values[0])} allowed`),
      h("span", { class: "key refused" }, `${formatNumber(values[1])} refused`),
      h("span", { class: "key shadow" }, `${formatNumber(values[2])} shadow would refuse`),
      h("span", {}, timeText));
  }

  svg.addEventListener("pointermove", e => {
    pointerX = e.clientX - svg.getBoundingClientRect().left;
    if (drawn) render();
  });
  svg.addEventListener("pointerleave", () => {
    pointerX = null;
    if (drawn) render();
  });
  new ResizeObserver(() => drawn && render()).observe(element);
  return {
    element,
    draw(next) {
      drawn = next;
      render();
    },
  };
}

/** A small plot of the points of one rule over a span that ends now. */
export function sparkline(points, now, span) {
  const width = 120;
  const height = 26;
  const bins = Array.from({ length: 60 }, () => [0, 0, 0]);
  for (const p of points) {
    const i = Math.floor(((p[0] - (now - span)) / span) * 60 - 0.001);
    if (i >= 0 && i < 60) for (let k = 0; k < 3; k++) bins[i][k] += p[k + 1];
  }
  const most = Math.max(1, ...bins.map(b => Math.max(b[0] + b[1], b[2])));
  const y = v => height - 1 - (v / most) * (height - 3);
  const area = (low, high) => `${linePath(bins.map((b, i) => [i * 2 + 1, y(high(b))]))}${linePath(bins.map((b, i) => [i * 2 + 1, y(low(b))]).reverse()).replace("M", "L")}Z`;
  return s("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    s("path", { class: "a-allowed", d: area(() => 0, b => b[0]) }),
    s("path", { class: "a-refused", d: area(b => b[0], b => b[0] + b[1]) }),
    bins.some(b => b[2]) && s("path", { class: "a-shadow", d: linePath(bins.map((b, i) => [i * 2 + 1, y(b[2])])) }));
}

/** Two series of bars, one behind the other. */
export function barPlot(front, behind, label) {
  const width = 600;
  const height = 70;
  const most = Math.max(1, ...front, ...behind);
  const barWidth = width / front.length;
  const bar = (v, i, name, margin) => v > 0 && s("rect", { class: name, x: (i * barWidth + margin).toFixed(1), width: (barWidth - 2 * margin).toFixed(1), y: (height - (v / most) * height).toFixed(1), height: ((v / most) * height).toFixed(1) });
  return s("svg", { class: "plot", height, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    behind.map((v, i) => bar(v, i, "a-allowed", 0.5)), front.map((v, i) => bar(v, i, "a-refused", 2)),
    s("line", { class: "grid", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }));
}

/** The names of lines at their ends, moved apart where the ends are close. */
function endLabels(series, x, y, height) {
  const ends = series.flatMap((line, i) => (line.points.length ? [{ line, i, x: x(line.points.at(-1)[0]), end: y(line.points.at(-1)[1]) }] : [])).sort((a, b) => a.end - b.end);
  let next = TOP + 4;
  for (const label of ends) {
    label.y = Math.max(label.end, next);
    next = label.y + LABEL_HEIGHT;
  }
  let last = height - BOTTOM;
  for (const label of ends.toReversed()) {
    label.y = Math.min(label.y, last);
    last = label.y - LABEL_HEIGHT;
  }
  return ends.map(label => [
    s("path", { class: `a-leader line-${label.i % LINE_COLORS}`, d: linePath([[label.x + 1, label.end], [label.x + 10, label.y]]) }),
    s("text", { class: `end line-${label.i % LINE_COLORS}`, x: label.x + 13, y: label.y + 4 }, label.line.name)]);
}

/** A line plot: `draw([{name, points: [[x, y], …]}], "label of the x axis")`. */
export function linePlot(height = 220) {
  const svg = s("svg", { class: "plot", height, role: "img", "aria-label": "No data yet" });
  const element = h("div", {}, svg);
  let drawn = null;

  function render() {
    const width = svg.clientWidth || 600;
    const { series, label } = drawn;
    const right = Math.min(width * 0.4, 20 + LABEL_CHARACTER * Math.max(...series.map(line => line.name.length)));
    const points = series.flatMap(line => line.points);
    const xs = points.map(p => p[0]);
    const from = Math.min(...xs);
    const to = Math.max(...xs, from + 1e-9);
    const { top, step } = axisScale(Math.max(...points.map(p => p[1])));
    const x = v => LEFT + ((v - from) / (to - from)) * (width - LEFT - right);
    const y = v => TOP + (1 - v / top) * (height - TOP - BOTTOM);
    replaceContent(svg,
      gridLines(width - right + RIGHT, height, y, top, step),
      [from, (from + to) / 2, to].map((v, i) => s("text", { x: x(v), y: height - 5, "text-anchor": ["start", "middle", "end"][i] }, `${formatNumber(Math.round(v * 100) / 100)}${i === 2 && label ? ` ${label}` : ""}`)),
      [0, 1].map(dashed => series.map((line, i) => i % 2 === dashed && s("path", { class: `a-line line-${i % LINE_COLORS}`, d: linePath(line.points.map(p => [x(p[0]), y(p[1])])) }))), // dashed lines last, so that coinciding lines are both visible
      endLabels(series, x, y, height));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("aria-label", series.map(line => line.name).join(", "));
  }
  new ResizeObserver(() => drawn && render()).observe(element);
  return {
    element,
    draw(series, label) {
      drawn = { series, label };
      if (series.some(line => line.points.length)) render();
    },
  };
}
