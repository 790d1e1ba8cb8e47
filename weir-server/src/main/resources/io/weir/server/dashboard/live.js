// Live: what is decided now, and one click from a line to a rule for it.
import { h, put, number, rate, micros, lasts, clock } from "./dom.js";
import { get } from "./api.js";
import { feed, SPAN } from "./feed.js";
import { traffic, spark } from "./plot.js";
import { head, sheet, empty, table, segments, failed, callerLink, ruleLink, hiddenText } from "./parts.js";
import { openEditor, ruleFor } from "./editor.js";

const RANGES = { second: SPAN, minute: 86400, hour: 90 * 86400 };
const WHAT = [["endpoint", "Endpoints"], ["user", "Users"], ["ip", "Addresses"], ["api_key", "Keys"], ["tier", "Tiers"]];
const MOST_RULES = 50;

export function livePage(signal) {
  const plot = traffic();
  const note = h("p", { class: "small quiet" });
  const tiles = h("div", { class: "tiles" });
  const rules = h("div");
  const lines = h("div");
  const news = h("div");
  let range = "second";
  let what = "endpoint";
  let busy = null;

  async function draw() {
    if (range === "second") {
      plot.draw({ from: feed.now - SPAN, to: feed.now, step: 2, points: feed.seconds });
      put(note, "The last five minutes of this node, in steps of two seconds; the axis is requests a second.");
    } else {
      const kept = await get(`/admin/traffic?step=${range}`);
      const now = Math.floor(Date.now() / 1000);
      plot.draw({ from: now - RANGES[range], to: now + kept.seconds, step: kept.seconds, points: kept.points });
      put(note, kept.survives
        ? "Requests by the minute for a day and by the hour for 90 days, kept in the rule database, all nodes together."
        : "Rules live in a file, so this history is in this node's memory and ends with it.");
    }
  }

  function tick() {
    if (range === "second") draw();
    const last = feed.sum(feed.seconds, 5);
    const store = feed.store.slice(-10).filter(p => p[1]);
    const p99 = Math.max(0, ...store.map(p => p[3]));
    const share = last.refused ? (100 * last.refused) / (last.allowed + last.refused) : 0;
    put(tiles,
      tile(rate((last.allowed + last.refused) / 5), "/s", "requests"),
      tile(rate(last.allowed / 5), "/s", "allowed", "allowed"),
      tile(rate(last.refused / 5), `/s · ${share.toFixed(share && share < 10 ? 1 : 0)} %`, "refused", "refused"),
      tile(rate(last.shadow / 5), "/s", "shadow would refuse", "shadow"),
      p99 ? tile(micros(p99), "p99", "store latency") : tile("0 µs", "in memory", "store latency"));
    paintRules();
  }

  function paintRules() {
    const all = [...feed.rules].map(([id, points]) => ({ id, points, sum: feed.sum(points, SPAN), now: feed.sum(points, 5) }));
    if (feed.made && !feed.rules.has(feed.made)) all.push({ id: feed.made, points: [], sum: feed.sum([]), now: feed.sum([]) });
    all.sort((a, b) => (b.id === feed.made) - (a.id === feed.made) || b.sum.refused + b.sum.shadow - a.sum.refused - a.sum.shadow || b.sum.total - a.sum.total);
    put(rules, all.length
      ? table(["Rule", "Five minutes", ["Allowed", "n"], ["Refused", "n"], ["Shadow", "n"], ["Now", "n wideonly"]],
        all.slice(0, MOST_RULES).map(one => h("tr", { class: one.id === feed.made ? "new" : null },
          h("td", {}, one.id ? ruleLink(one.id) : h("span", { class: "quiet" }, "all other rules")),
          h("td", { class: "fit" }, spark(one.points, feed.now, SPAN)),
          h("td", { class: "n" }, number(one.sum.allowed)),
          h("td", { class: one.sum.refused ? "n c-refused" : "n quiet" }, number(one.sum.refused)),
          h("td", { class: one.sum.shadow ? "n c-shadow" : "n quiet" }, number(one.sum.shadow)),
          h("td", { class: "n wideonly" }, `${rate(one.now.total / 5)}/s`))), "What rules said in the last five minutes")
      : empty("No rule has met a request in the last five minutes", "Requests that meet no rule are allowed and stand below."));
  }

  async function look() {
    busy = await get("/admin/busy", { signal });
    paintLines();
  }

  function paintLines() {
    const some = busy.lines.filter(line => line.attribute === what);
    const most = Math.max(1, ...some.map(line => line.requests));
    put(lines, some.length
      ? table(["Who and what", ["Requests", "n"], ["Refused", "n"], ["Share", "wideonly"], hiddenText("What to do")],
        some.map(line => h("tr", {},
          h("td", {}, what === "endpoint" ? h("span", { class: "mono name" }, line.value) : callerLink({ [what]: line.value })),
          h("td", { class: "n" }, number(line.requests)),
          h("td", { class: line.refused ? "n c-refused" : "n quiet" }, number(line.refused)),
          h("td", { class: "wideonly" }, share(line.requests / most)),
          h("td", { class: "fit" }, h("button", { type: "button", class: "slim", "aria-label": `Limit ${line.value}`, onclick: () => openEditor({ rule: ruleFor(line, busy), from: "live" }) }, "Limit…")))), "Who called most in the last five minutes")
      : empty(what === "endpoint" ? "Nothing was called in the last five minutes" : `No request said its ${what}`, "Send one to the decision API or through the gateway, and it stands here."));
  }

  function paintNews() {
    put(news, feed.news.length
      ? table(["Time", "Caller", "Rule", ["Wait", "n"]], feed.news.slice(0, 12).map(one => h("tr", {},
        h("td", { class: "fit quiet" }, clock(Date.parse(one.time))),
        h("td", {}, callerLink(one.caller), one.endpoint && h("div", { class: "small mono quiet cut", title: one.endpoint }, one.endpoint)),
        h("td", {}, ruleLink(one.rule), one.shadow && h("div", {}, h("span", { class: "tag shadow" }, "shadow"))),
        h("td", { class: "n" }, lasts(one.retry_after_ms)))), "The last refusals")
      : empty("Nobody was refused since this page was opened", "Refusals appear here as they happen, at most 20 a second."));
  }

  const on = (event, act) => feed.addEventListener(event, act, { signal });
  let heard = true;
  on("news", () => { heard = true; });
  on("tick", () => {
    tick();
    if (heard && !news.contains(document.activeElement)) paintNews();
    heard = false;
  });
  const again = () => look().catch(e => { if (!signal.aborted) put(lines, failed(e)); });
  const timer = setInterval(again, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(() => { tick(); paintNews(); again(); });

  return [
    head("Live", null, h("span", { class: "small quiet", id: "pulse" })),
    tiles,
    sheet("Requests", segments("Time shown", [["second", "5 min"], ["minute", "24 h"], ["hour", "90 days"]], range, v => { range = v; draw().catch(e => put(note, failed(e))); }), plot.element, note),
    sheet("Rules", h("a", { class: "button slim", href: "#/rules" }, "All rules"), rules),
    h("div", { class: "columns" },
      sheet("Who calls", segments("Counted by", WHAT, what, v => { what = v; if (busy) paintLines(); }), lines),
      sheet("Refusals", null, news)),
  ];
}

const tile = (value, unit, text, kind) => h("div", { class: "tile" }, h("b", {}, value, " ", h("small", {}, unit)), h("span", { class: kind ? `key ${kind}` : "" }, text));

function share(part) {
  const bar = h("i");
  bar.style.width = `${Math.round(100 * part)}%`;
  return h("div", { class: "meter" }, bar);
}
