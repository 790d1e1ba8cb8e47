// Nodes: this one, and those it shares its rule database with.
import { h, put, number, exact, lasts, micros, moment } from "./dom.js";
import { get } from "./api.js";
import { head, failed, waiting } from "./parts.js";

const DRIFT_LIMIT = 20000;

export function nodesPage(signal) {
  const place = h("div", { class: "stack" }, waiting());

  async function look() {
    const said = await get("/admin/nodes", { signal });
    const newest = Math.max(...said.nodes.map(n => n.says.revision));
    put(place, said.problem && h("div", { class: "banner bad" }, said.problem),
      h("div", { class: "columns" }, said.nodes.map((n, i) => card(n, i === 0, newest))),
      h("p", { class: "small quiet" }, said.shared ? "Nodes say how they fare every five seconds through the rule database; one that is silent for an hour is forgotten." : "Rules live in a file, so nodes do not know of each other: this is the one you asked."));
  }

  function card({ seen_ms, says }, self, newest) {
    const silent = seen_ms > 20000;
    const behind = newest - says.revision;
    const drift = Math.abs(says.store.drift_us);
    const state = silent ? h("span", { class: "tag bad" }, `silent for ${lasts(seen_ms)}`) : says.store.available && !says.stale_ms ? h("span", { class: "tag good" }, "well") : h("span", { class: "tag bad" }, "degraded");
    const fact = (name, ...value) => [h("dt", {}, name), h("dd", {}, value)];
    return h("section", { class: "sheet" },
      h("div", { class: "top" }, h("h2", {}, says.node), self && h("span", { class: "tag" }, "this one"), h("div", { class: "right" }, state)),
      h("dl", { class: "facts" },
        fact("Store", says.store.state, !says.store.available && h("span", { class: "problem" }, " rules answer by their posture")),
        fact("Clock drift", micros(drift), drift > DRIFT_LIMIT && h("span", { class: "problem" }, " more than 20 ms; check NTP")),
        fact("Rules", `${exact(says.rules)}, revision ${says.revision}`, behind > 0 && h("span", { class: "problem" }, ` ${behind} behind`)),
        fact("Lag", says.stale_ms ? h("span", { class: "problem" }, `${lasts(says.stale_ms)} out of step with the rules' home`) : "in step"),
        fact("Counting", Object.entries(says.counting).map(([how, many]) => `${exact(many)} ${how}`).join(" · ") || "no rules in force"),
        fact("Leases", `${exact(says.store.leased)} permits borrowed and not spent`, says.store.untold > 0 && ` · ${exact(says.store.untold)} admitted and not told yet`, says.store.sync_lag_ms > 0 && h("span", { class: "problem" }, ` ${lasts(says.store.sync_lag_ms)} late`)),
        fact("Shares its store with", says.store.nodes > 1 ? `${exact(says.store.nodes - 1)} other ${says.store.nodes === 2 ? "node" : "nodes"}` : "nobody"),
        fact("Decided", `${number(says.allowed)} allowed, ${number(says.refused)} refused`),
        fact("By posture", exact(says.store.degraded), says.store.corrupt > 0 && ` · ${exact(says.store.corrupt)} states unreadable`),
        fact("Up", `${lasts(says.uptime_ms)}, since ${moment(says.started)}`)));
  }
  const again = () => look().catch(e => { if (e.name !== "AbortError") put(place, failed(e)); });
  const timer = setInterval(again, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(again);
  return [head("Nodes", "How each node fares: its store, how far its clock and its rules are off."), place];
}
