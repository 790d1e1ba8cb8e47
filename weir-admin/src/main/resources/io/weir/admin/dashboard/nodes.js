// Nodes page: this node, and the nodes that share its rule database.
import { h, replaceContent, formatNumber, formatExact, formatDuration, formatMicros, formatDateTime } from "./dom.js";
import { get } from "./api.js";
import { pageHeader, errorBanner, loadingState } from "./parts.js";

const DRIFT_LIMIT = 20000;

export function nodesPage(signal) {
  const content = h("div", { class: "stack" }, loadingState());

  async function load() {
    const response = await get("/admin/nodes", { signal });
    const newest = Math.max(...response.nodes.map(n => n.says.revision));
    replaceContent(content, response.problem && h("div", { class: "banner bad" }, response.problem),
      h("div", { class: "columns" }, response.nodes.map((n, i) => nodeCard(n, i === 0, newest))),
      h("p", { class: "small muted" }, response.shared ? "Nodes report their state to the rule database every five seconds; a node without reports for an hour is removed." : "Rules are stored in a file, so nodes do not know each other: this is the node you are connected to."));
  }

  function nodeCard({ seen_ms, says }, self, newest) {
    const silent = seen_ms > 20000;
    const behind = newest - says.revision;
    const drift = Math.abs(says.store.drift_us);
    const state = silent ? h("span", { class: "tag bad" }, `no report for ${formatDuration(seen_ms)}`) : says.store.available && !says.stale_ms ? h("span", { class: "tag good" }, "healthy") : h("span", { class: "tag bad" }, "degraded");
    const entry = (name, ...value) => [h("dt", {}, name), h("dd", {}, value)];
    return h("section", { class: "panel" },
      h("div", { class: "top" }, h("h2", {}, says.node), self && h("span", { class: "tag" }, "this node"), h("div", { class: "right" }, state)),
      h("dl", { class: "facts" },
        entry("Store", says.store.state, !says.store.available && h("span", { class: "problem" }, " rules use their fallback")),
        entry("Clock drift", formatMicros(drift), drift > DRIFT_LIMIT && h("span", { class: "problem" }, " more than 20 ms; check NTP")),
        entry("Rules", `${formatExact(says.rules)}, revision ${says.revision}`, behind > 0 && h("span", { class: "problem" }, ` ${behind} behind`)),
        entry("Rule updates", says.stale_ms ? h("span", { class: "problem" }, `rules not updated for ${formatDuration(says.stale_ms)}`) : "up to date"),
        entry("Consistency", Object.entries(says.counting).map(([consistency, count]) => `${formatExact(count)} ${consistency}`).join(" · ") || "no enabled rules"),
        entry("Leases", `${formatExact(says.store.leased)} leased permits unused`, says.store.untold > 0 && ` · ${formatExact(says.store.untold)} admitted and not yet synchronized`, says.store.sync_lag_ms > 0 && h("span", { class: "problem" }, ` synchronization ${formatDuration(says.store.sync_lag_ms)} late`)),
        entry("Shared store", says.store.nodes > 1 ? `${formatExact(says.store.nodes - 1)} other ${says.store.nodes === 2 ? "node uses" : "nodes use"} this store` : "No other node uses this store"),
        entry("Decisions", `${formatNumber(says.allowed)} allowed, ${formatNumber(says.refused)} refused`),
        entry("Fallback", formatExact(says.store.degraded), says.store.corrupt > 0 && ` · ${formatExact(says.store.corrupt)} corrupt states`),
        entry("Uptime", `${formatDuration(says.uptime_ms)}, since ${formatDateTime(says.started)}`)));
  }
  const reload = () => load().catch(e => { if (e.name !== "AbortError") replaceContent(content, errorBanner(e)); });
  const timer = setInterval(reload, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(reload);
  return [pageHeader("Nodes", "Health of each node: its store, clock drift, and rule updates."), content];
}
