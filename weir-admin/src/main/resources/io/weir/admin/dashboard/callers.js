// Callers pages: most refused callers, and the counters and ban of one caller.
import { h, replaceContent, formatNumber, formatExact, formatDuration } from "./dom.js";
import { request, get } from "./api.js";
import { pageHeader, panel, emptyState, table, errorBanner, loadingState, toast, withErrorToast, callerText, callerLink, ruleLink, liftBan, visuallyHidden } from "./parts.js";

export function callersPage(signal, path, query) {
  return query.size ? callerPage(signal, Object.fromEntries(query)) : listPage(signal);
}

function searchForm() {
  const attribute = h("select", { name: "attribute", "aria-label": "Attribute" }, ["user", "ip", "api_key", "tier"].map(a => h("option", { value: a }, a)));
  const value = h("input", { name: "value", "aria-label": "Its value", placeholder: "42", required: true });
  return h("form", { class: "row", onsubmit: e => { e.preventDefault(); location.hash = `#/callers?${new URLSearchParams({ [attribute.value]: value.value })}`; } }, h("div", {}, attribute), h("div", { class: "grow" }, value), h("button", { type: "submit" }, "Look up"));
}

function listPage(signal) {
  const top = h("div", {}, loadingState());
  const bans = h("div", {}, loadingState());

  async function load() {
    const stats = await get("/admin/stats?top=50", { signal });
    replaceContent(top, stats.top_refused.length
      ? table(["Caller", "Rule", ["Refused", "numeric"]], stats.top_refused.map(entry => h("tr", {},
        h("td", {}, callerLink(entry.caller)), h("td", {}, ruleLink(entry.rule), entry.shadow && [" ", h("span", { class: "tag shadow" }, "shadow")]),
        h("td", { class: entry.shadow ? "numeric c-shadow" : "numeric c-refused", title: `at least ${entry.surely}` }, formatNumber(entry.refused)))), "Most refused callers")
      : emptyState("No refused callers in the last minutes", "Callers that a shadow rule would have refused are listed too."));
    const { refusals } = await get("/admin/refusals", { signal });
    replaceContent(bans, refusals.length
      ? table(["Caller", ["Remaining", "numeric"], visuallyHidden("Actions")], refusals.map(entry => h("tr", {}, h("td", {}, callerLink(entry.caller)), h("td", { class: "numeric" }, formatDuration(entry.left_ms)),
        h("td", { class: "fit" }, h("button", { type: "button", class: "compact", onclick: withErrorToast(() => liftBan(entry.caller, reload)) }, "Lift ban")))), "Temporary bans")
      : emptyState("No bans", "Open a caller to ban it for a limited time."));
  }
  const reload = () => load().catch(e => { if (e.name !== "AbortError") replaceContent(top, errorBanner(e)); });
  const timer = setInterval(reload, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(reload);
  return [
    pageHeader("Callers", "The callers this node refused most in the last five to ten minutes."),
    h("div", { class: "panel" }, searchForm()),
    h("div", { class: "columns wide" }, panel("Most refused", null, top), panel("Temporary bans", null, bans)),
  ];
}

function callerPage(signal, caller) {
  const counters = h("div", {}, loadingState());
  const ban = h("div", {});
  const countersUrl = rule => `/admin/counters?${new URLSearchParams(rule ? { rule, ...caller } : caller)}`;

  async function load() {
    const response = await get(countersUrl(""), { signal });
    replaceContent(counters, response.degraded && h("p", { class: "problem" }, "The store is unavailable, so the counters are unknown."),
      response.counters.length ? table(["Rule", ["Available", "wide-only"], ["Permits", "numeric"], ["Full in", "numeric wide-only"], visuallyHidden("Actions")], response.counters.map(counterRow), "Counters of this caller")
        : emptyState("No rule counts this caller", "Rules that count per other attributes need those attributes too."));
    const { refusals } = await get("/admin/refusals", { signal });
    const currentBan = refusals.find(one => callerText(one.caller) === callerText(caller));
    replaceContent(ban, currentBan
      ? h("div", { class: "row" }, h("span", { class: "tag refused" }, `banned for ${formatDuration(currentBan.left_ms)}`), h("button", { type: "button", onclick: withErrorToast(() => liftBan(caller, reload)) }, "Lift ban"))
      : banForm());
  }

  function counterRow(counter) {
    const bar = h("i");
    bar.style.width = `${Math.round((100 * counter.remaining) / Math.max(1, counter.most))}%`;
    const permits = h("input", { name: "permits", type: "number", min: 1, value: 10, "aria-label": `Permits to refund of ${counter.rule}` });
    permits.style.width = "84px";
    return h("tr", {},
      h("td", {}, ruleLink(counter.rule), counter.shadow && [" ", h("span", { class: "tag shadow" }, "shadow")], h("div", { class: "small muted" }, counter.limit)),
      h("td", { class: "wide-only" }, h("div", { class: counter.remaining * 10 <= counter.most ? "meter low" : "meter" }, bar)),
      h("td", { class: "numeric" }, `${formatExact(counter.remaining)} of ${formatExact(counter.most)}`),
      h("td", { class: "numeric muted wide-only" }, formatDuration(counter.reset_ms)),
      h("td", { class: "fit" }, h("div", { class: "row tight" }, permits,
        h("button", { type: "button", class: "compact", onclick: withErrorToast(() => refund(counter, permits.value)) }, "Refund"),
        h("button", { type: "button", class: "compact", onclick: withErrorToast(() => reset(counter.rule)) }, "Reset"))));
  }

  async function refund({ rule, remaining }, permits) {
    const { content } = await request("POST", countersUrl(rule), { body: JSON.stringify({ refund: Number(permits) }) });
    const after = content.counters.find(one => one.rule === rule);
    const full = after && after.remaining === after.most;
    toast(full ? `${rule}: all ${formatExact(after.most)} permits are available${after.most - remaining < permits ? "; a refund returns used permits only" : ""}` : `Refunded ${formatExact(permits)} permits of ${rule}`);
    await load();
  }
  async function reset(rule) {
    await request("DELETE", countersUrl(rule));
    toast(`Reset the counter of ${rule}`);
    await load();
  }
  function banForm() {
    const time = h("select", { name: "for", "aria-label": "Duration" }, [["1m", "1 minute"], ["10m", "10 minutes"], ["1h", "1 hour"], ["1d", "1 day"], ["7d", "7 days"]].map(([v, t]) => h("option", { value: v, selected: v === "10m" }, t)));
    const submit = async () => {
      await request("POST", `/admin/refusals?${new URLSearchParams(caller)}`, { body: JSON.stringify({ for: time.value }) });
      toast(`${callerText(caller)} is banned`, "Lift ban", withErrorToast(() => liftBan(caller, reload)));
      await load();
    };
    return h("div", { class: "row" }, h("div", {}, time), h("button", { type: "button", class: "danger", onclick: withErrorToast(submit) }, "Ban"));
  }
  const reload = () => load().catch(e => { if (e.name !== "AbortError") replaceContent(counters, errorBanner(e)); });
  queueMicrotask(reload);
  return [
    pageHeader(callerText(caller), h("a", { href: "#/callers" }, "← All callers"), h("button", { type: "button", onclick: reload }, "Refresh")),
    panel("Counters of all rules", null, counters, h("p", { class: "small muted" }, "A refund returns used permits, at most those that were used; for a higher limit, add an override to the rule. Refunds and resets take effect on every node within a second.")),
    panel("Temporary ban", null, h("p", { class: "muted" }, "All requests of this caller are refused on every node until the ban ends by itself."), ban),
  ];
}
