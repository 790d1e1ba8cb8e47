// Callers: who is refused most, and what one of them has left.
import { h, put, number, exact, lasts } from "./dom.js";
import { ask, get } from "./api.js";
import { head, sheet, empty, table, failed, waiting, toast, trying, callerText, callerLink, ruleLink, hiddenText } from "./parts.js";

export function callersPage(signal, path, query) {
  return query.size ? callerPage(signal, Object.fromEntries(query)) : topPage(signal);
}

function finder() {
  const name = h("select", { name: "attribute", "aria-label": "Attribute" }, ["user", "ip", "api_key", "tier"].map(a => h("option", { value: a }, a)));
  const value = h("input", { name: "value", "aria-label": "Its value", placeholder: "42", required: true });
  return h("form", { class: "row", onsubmit: e => { e.preventDefault(); location.hash = `#/callers?${new URLSearchParams({ [name.value]: value.value })}`; } }, h("div", {}, name), h("div", { class: "grow" }, value), h("button", { type: "submit" }, "Look up"));
}

function topPage(signal) {
  const top = h("div", {}, waiting());
  const held = h("div", {}, waiting());

  async function look() {
    const stats = await get("/admin/stats?top=50", { signal });
    put(top, stats.top_refused.length
      ? table(["Caller", "Rule", ["Refused", "n"]], stats.top_refused.map(one => h("tr", {},
        h("td", {}, callerLink(one.caller)), h("td", {}, ruleLink(one.rule), one.shadow && [" ", h("span", { class: "tag shadow" }, "shadow")]),
        h("td", { class: one.shadow ? "n c-shadow" : "n c-refused", title: `at least ${one.surely}` }, number(one.refused)))), "Callers refused most")
      : empty("Nobody was refused in the last minutes", "Those a shadow rule would have refused are listed too."));
    const { refusals } = await get("/admin/refusals", { signal });
    put(held, refusals.length
      ? table(["Caller", ["Still for", "n"], hiddenText("What to do")], refusals.map(one => h("tr", {}, h("td", {}, callerLink(one.caller)), h("td", { class: "n" }, lasts(one.left_ms)),
        h("td", { class: "fit" }, h("button", { type: "button", class: "slim", onclick: trying(() => lift(one.caller, again)) }, "Lift")))), "Callers refused for a time")
      : empty("Nobody is refused by hand", "Open a caller to refuse it for a time."));
  }
  const again = () => look().catch(e => { if (e.name !== "AbortError") put(top, failed(e)); });
  const timer = setInterval(again, 3000);
  signal.addEventListener("abort", () => clearInterval(timer));
  queueMicrotask(again);
  return [
    head("Callers", "Who was refused most in the last five to ten minutes, on this node."),
    h("div", { class: "sheet" }, finder()),
    h("div", { class: "columns wide" }, sheet("Refused most", null, top), sheet("Refused for a time", null, held)),
  ];
}

async function lift(caller, then) {
  await ask("DELETE", `/admin/refusals?${new URLSearchParams(caller)}`);
  toast(`${callerText(caller)} may ask again`);
  then();
}

function callerPage(signal, caller) {
  const counters = h("div", {}, waiting());
  const hold = h("div", {});
  const at = rule => `/admin/counters?${new URLSearchParams(rule ? { rule, ...caller } : caller)}`;

  async function look() {
    const said = await get(at(""), { signal });
    put(counters, said.degraded && h("p", { class: "problem" }, "The store does not answer, so these are not known."),
      said.counters.length ? table(["Rule", ["Left", "wideonly"], ["Of", "n"], ["All back in", "n wideonly"], hiddenText("What to do")], said.counters.map(row), "Counters of this caller")
        : empty("No rule counts this caller", "Rules that count per other attributes need these to be said too."));
    const { refusals } = await get("/admin/refusals", { signal });
    const mine = refusals.find(one => callerText(one.caller) === callerText(caller));
    put(hold, mine
      ? h("div", { class: "row" }, h("span", { class: "tag refused" }, `refused for ${lasts(mine.left_ms)}`), h("button", { type: "button", onclick: trying(() => lift(caller, again)) }, "Lift"))
      : refuse());
  }

  function row(one) {
    const bar = h("i");
    bar.style.width = `${Math.round((100 * one.remaining) / Math.max(1, one.most))}%`;
    const permits = h("input", { name: "permits", type: "number", min: 1, value: 10, "aria-label": `Permits to grant of ${one.rule}` });
    permits.style.width = "84px";
    return h("tr", {},
      h("td", {}, ruleLink(one.rule), one.shadow && [" ", h("span", { class: "tag shadow" }, "shadow")], h("div", { class: "small quiet" }, one.limit)),
      h("td", { class: "wideonly" }, h("div", { class: one.remaining * 10 <= one.most ? "meter low" : "meter" }, bar)),
      h("td", { class: "n" }, `${exact(one.remaining)} of ${exact(one.most)}`),
      h("td", { class: "n quiet wideonly" }, lasts(one.reset_ms)),
      h("td", { class: "fit" }, h("div", { class: "row tight" }, permits,
        h("button", { type: "button", class: "slim", onclick: trying(() => grant(one.rule, permits.value)) }, "Grant"),
        h("button", { type: "button", class: "slim", onclick: trying(() => reset(one.rule)) }, "Reset"))));
  }

  async function grant(rule, permits) {
    await ask("POST", at(rule), { body: JSON.stringify({ grant: Number(permits) }) });
    toast(`Gave ${permits} permits of ${rule} back`);
    await look();
  }
  async function reset(rule) {
    await ask("DELETE", at(rule));
    toast(`The counter of ${rule} is fresh`);
    await look();
  }
  function refuse() {
    const time = h("select", { name: "for", "aria-label": "For how long" }, [["1m", "a minute"], ["10m", "ten minutes"], ["1h", "an hour"], ["1d", "a day"], ["7d", "a week"]].map(([v, t]) => h("option", { value: v, selected: v === "10m" }, t)));
    const go = async () => {
      await ask("POST", `/admin/refusals?${new URLSearchParams(caller)}`, { body: JSON.stringify({ for: time.value }) });
      toast(`${callerText(caller)} is refused`, "Lift", trying(() => lift(caller, again)));
      await look();
    };
    return h("div", { class: "row" }, h("div", {}, time), h("button", { type: "button", class: "danger", onclick: trying(go) }, "Refuse"));
  }
  const again = () => look().catch(e => { if (e.name !== "AbortError") put(counters, failed(e)); });
  queueMicrotask(again);
  return [
    head(callerText(caller), h("a", { href: "#/callers" }, "← All callers"), h("button", { type: "button", onclick: again }, "Look again")),
    sheet("Counters, across rules", null, counters, h("p", { class: "small quiet" }, "A grant gives permits back, never more than are used. Both are felt on every node within a second.")),
    sheet("Refuse for a time", null, h("p", { class: "quiet" }, "Whatever it asks for is refused until then, on every node, and then no more; nobody needs to remember to lift it."), hold),
  ];
}
