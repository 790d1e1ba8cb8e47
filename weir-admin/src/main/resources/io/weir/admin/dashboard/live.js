// Live page: current decisions, with a button to create a rule for an endpoint or a caller.
import { h, replaceContent, formatNumber, formatRate, formatMicros, formatDuration, formatTime } from "./dom.js";
import { get } from "./api.js";
import { feed, SPAN } from "./feed.js";
import { trafficPlot, sparkline } from "./plot.js";
import { pageHeader, panel, emptyState, table, segmentedControl, errorBanner, callerLink, ruleLink, visuallyHidden } from "./parts.js";
import { openEditor, ruleFor } from "./editor.js";

const RANGES = { second: SPAN, minute: 86400, hour: 90 * 86400 };
const ATTRIBUTES = [["endpoint", "Endpoints"], ["user", "Users"], ["ip", "Addresses"], ["api_key", "Keys"], ["tier", "Tiers"]];
const MAX_RULES = 50;

export function livePage(signal) {
  const plot = trafficPlot();
  const note = h("p", { class: "small muted" });
  const tiles = h("div", { class: "tiles" });
  const rules = h("div");
  const callers = h("div");
  const refusals = h("div");
  let range = "second";
  let attribute = "endpoint";
  let busy = null;

  async function draw() {
    if (range === "second") {
      plot.draw({ from: feed.now - SPAN, to: feed.now, step: 2, points: feed.seconds });
      replaceContent(note, "The last five minutes of this node, in steps of two seconds; the axis shows requests per second.");
    } else {
      const history = await get(`/admin/traffic?step=${range}`);
      const now = Math.floor(Date.now() / 1000);
      plot.draw({ from: now - RANGES[range], to: now + history.seconds, step: history.seconds, points: history.points });
      replaceContent(note, history.survives
        ? "Requests of all nodes, stored in the rule database: by minute for a day, by hour for 90 days."
        : "Rules are stored in a file, so this history is kept in the memory of this node and lost on restart.");
    }
  }

  function update() {
    if (range === "second") draw();
    const last = feed.sum(feed.seconds, 5);
    const store = feed.store.slice(-10).filter(p => p[1]);
    const p99 = Math.max(0, ...store.map(p => p[3]));
    const refusedPercent = last.refused ? (100 * last.refused) / (last.allowed + last.refused) : 0;
    replaceContent(tiles,
      tile(formatRate((last.allowed + last.refused) / 5), "/s", "requests"),
      tile(formatRate(last.allowed / 5), "/s", "allowed", "allowed"),
      tile(formatRate(last.refused / 5), `/s · ${refusedPercent.toFixed(refusedPercent && refusedPercent < 10 ? 1 : 0)} %`, "refused", "refused"),
      tile(formatRate(last.shadow / 5), "/s", "shadow would refuse", "shadow"),
      p99 ? tile(formatMicros(p99), "p99", "store latency") : tile("none", "", "store latency (in memory)"));
    renderRules();
  }

  function renderRules() {
    const rows = [...feed.rules].map(([id, points]) => ({ id, points, sum: feed.sum(points, SPAN), now: feed.sum(points, 5) }));
    if (feed.createdRule && !feed.rules.has(feed.createdRule)) rows.push({ id: feed.createdRule, points: [], sum: feed.sum([]), now: feed.sum([]) });
    rows.sort((a, b) => (b.id === feed.createdRule) - (a.id === feed.createdRule) || b.sum.refused + b.sum.shadow - a.sum.refused - a.sum.shadow || b.sum.total - a.sum.total);
    replaceContent(rules, rows.length
      ? table(["Rule", "Five minutes", ["Allowed", "numeric"], ["Refused", "numeric"], ["Shadow", "numeric"], ["Now", "numeric wide-only"]],
        rows.slice(0, MAX_RULES).map(row => h("tr", { class: row.id === feed.createdRule ? "new" : null },
          h("td", {}, row.id ? ruleLink(row.id) : h("span", { class: "muted" }, "all other rules")),
          h("td", { class: "fit" }, sparkline(row.points, feed.now, SPAN)),
          h("td", { class: "numeric" }, formatNumber(row.sum.allowed)),
          h("td", { class: row.sum.refused ? "numeric c-refused" : "numeric muted" }, formatNumber(row.sum.refused)),
          h("td", { class: row.sum.shadow ? "numeric c-shadow" : "numeric muted" }, formatNumber(row.sum.shadow)),
          h("td", { class: "numeric wide-only" }, `${formatRate(row.now.total / 5)}/s`))), "Decisions by rule in the last five minutes")
      : emptyState("No rule matched a request in the last five minutes", "Requests that match no rule are allowed and listed below."));
  }

  async function loadBusy() {
    busy = await get("/admin/busy", { signal });
    renderBusy();
  }

  function renderBusy() {
    const shown = busy.lines.filter(line => line.attribute === attribute);
    const maxRequests = Math.max(1, ...shown.map(line => line.requests));
    replaceContent(callers, shown.length
      ? table(["Value", ["Requests", "numeric"], ["Refused", "numeric"], ["Share", "wide-only"], visuallyHidden("Actions")],
        shown.map(line => h("tr", {},
          h("td", {}, attribute === "endpoint" ? h("span", { class: "mono name" }, line.value) : callerLink({ [attribute]: line.value })),
          h("td", { class: "numeric" }, formatNumber(line.requests)),
          h("td", { class: line.refused ? "numeric c-refused" : "numeric muted" }, formatNumber(line.refused)),
          h("td", { class: "wide-only" }, meter(line.requests / maxRequests)),
          h("td", { class: "fit" }, h("button", { type: "button", class: "compact", "aria-label": `Limit ${line.value}`, onclick: () => openEditor({ rule: ruleFor(line, busy), from: "live" }) }, "Limit…")))), "Most frequent values in the last five minutes")
      : emptyState(attribute === "endpoint" ? "No requests in the last five minutes" : `No request has the attribute ${attribute}`, "Requests to the decision API or through the gateway appear here."));
  }

  function renderRefusals() {
    replaceContent(refusals, feed.refusals.length
      ? table(["Time", "Caller", "Rule", ["Wait", "numeric"]], feed.refusals.slice(0, 12).map(refusal => h("tr", {},
        h("td", { class: "fit muted" }, formatTime(Date.parse(refusal.time))),
        h("td", {}, callerLink(refusal.caller), refusal.endpoint && h("div", { class: "small mono muted clamp", title: refusal.endpoint }, refusal.endpoint)),
        h("td", {}, ruleLink(refusal.rule), refusal.shadow && h("div", {}, h("span", { class: "tag shadow" }, "shadow"))),
        h("td", { class: "numeric" }, formatDuration(refusal.retry_after_ms)))), "Latest refusals")
      : emptyState("No refusals since this page was opened", "Refusals appear here as they happen, at most 20 per second."));
  }

  const onFeed = (event, action) => feed.addEventListener(event, action, { signal });
  let refusalsChanged = true;
  onFeed("refusals", () => { refusalsChanged = true; });
  onFeed("tick", () => {
    update();
    if (refusalsChanged && !refusals.contains(document.activeElement)) renderRefusals();
    refusalsChanged = false;
  });
  const reload = () => loadBusy().catch(e => { if (!signal.aborted) replaceContent(callers, errorBanner(e)); });
  const timer = setInterval(reload, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(() => { update(); renderRefusals(); reload(); });

  return [
    pageHeader("Live"),
    tiles,
    panel("Requests", segmentedControl("Time range", [["second", "5 min"], ["minute", "24 h"], ["hour", "90 days"]], range, v => { range = v; draw().catch(e => replaceContent(note, errorBanner(e))); }), plot.element, note),
    panel("Rules", h("a", { class: "button compact", href: "#/rules" }, "All rules"), rules),
    h("div", { class: "columns" },
      panel("Top callers and endpoints", segmentedControl("Attribute", ATTRIBUTES, attribute, v => { attribute = v; if (busy) renderBusy(); }), callers),
      panel("Refusals", null, refusals)),
  ];
}

const tile = (value, unit, text, kind) => h("div", { class: "tile" }, h("b", {}, value, " ", h("small", {}, unit)), h("span", { class: kind ? `key ${kind}` : "" }, text));

function meter(fraction) {
  const bar = h("i");
  bar.style.width = `${Math.round(100 * fraction)}%`;
  return h("div", { class: "meter" }, bar);
}
