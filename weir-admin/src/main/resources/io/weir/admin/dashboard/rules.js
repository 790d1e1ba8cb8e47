// Rules pages: search, edit, switch to shadow mode, undo.
import { h, replaceContent, formatNumber, formatExact, formatDateTime, formatEnd, debounce } from "./dom.js";
import { request, get } from "./api.js";
import { feed, SPAN } from "./feed.js";
import { trafficPlot } from "./plot.js";
import { pageHeader, panel, emptyState, table, segmentedControl, errorBanner, loadingState, toast, withErrorToast, confirmDialog, ruleLink, ruleName, banEnd, liftBan, callerText, callerLink, notFound } from "./parts.js";
import { editor, openEditor, SHADOW_CONSEQUENCE } from "./editor.js";

const PAGE_SIZE = 50;
const LIMIT_OF_ACTION = { allow: "allows all", block: "blocks all" };
const formatList = value => (Array.isArray(value) ? value.join(", ") : String(value));
const overshootText = permits => `all nodes together may exceed the limit by up to ${formatExact(permits)} permits`;
const rulePath = id => `/admin/rules/${encodeURIComponent(id)}`;

export function rulesPage(signal, path, query) {
  return path ? rulePage(signal, path) : listPage(signal, query);
}

function listPage(signal, query) {
  let find = query.get("find") ?? "";
  let from = 0;
  let latest = null;
  const rows = h("div", {}, loadingState());
  const summary = h("span", { class: "small muted", role: "status" });
  const pager = h("div", { class: "row end" });
  const newButton = h("button", { type: "button", class: "primary", onclick: () => openEditor({ rule: { id: "", per: ["user"], limit: "100/minute" } }) }, "New rule");

  async function load() {
    const content = await get(`/admin/rules?${new URLSearchParams({ find, from, count: PAGE_SIZE })}`, { signal });
    latest = content;
    newButton.disabled = !content.editable;
    replaceContent(summary, content.total === 0 ? "" : find ? `${formatExact(content.found)} of ${formatExact(content.total)} rules` : `${formatExact(content.total)} ${content.total === 1 ? "rule" : "rules"}, revision ${content.revision}`);
    render();
    replaceContent(pager, content.found > PAGE_SIZE && [
      h("span", { class: "small muted" }, `${formatExact(from + 1)}–${formatExact(Math.min(from + PAGE_SIZE, content.found))}`),
      h("button", { type: "button", class: "compact", disabled: from === 0, onclick: () => changePage(-PAGE_SIZE) }, "Back"),
      h("button", { type: "button", class: "compact", disabled: from + PAGE_SIZE >= content.found, onclick: () => changePage(PAGE_SIZE) }, "Next")]);
  }
  const changePage = offset => { from = Math.max(0, from + offset); reload(); };
  const reload = () => load().catch(e => { if (e.name !== "AbortError") replaceContent(rows, errorBanner(e)); });

  function render() {
    if (!latest.rules.length) {
      return replaceContent(rows, find ? emptyState("No matching rules", "The search covers names, attributes, limits and algorithms.") : emptyState("There are no rules yet", latest.editable ? "Everything is allowed. Create a rule here, or click “Limit…” on the Live page." : "Everything is allowed. Add rules to the file; it is reloaded when it changes."));
    }
    replaceContent(rows, !latest.editable && h("p", { class: "small muted" }, "Rules are stored in the file ", h("code", {}, latest.file ?? ""), ", which is reloaded when it changes: edit them there."),
      table(["Rule", "Matches", ["Per", "wide-only"], "Limit", ["Refused, 5 min", "numeric"], "Shadow"], latest.rules.map(ruleRow), "Rules"));
  }

  function banRow(rule, refusedCell) {
    return h("tr", {},
      h("td", {}, ruleLink(rule.id)), h("td", {}, callerLink(rule.match)), h("td", { class: "wide-only" }),
      h("td", {}, "refuses everything"), refusedCell, h("td", {}));
  }

  function ruleRow(rule) {
    const sum = feed.sum(feed.rules.get(rule.id) ?? [], SPAN);
    const refusedCell = h("td", { class: sum.refused + sum.shadow ? (rule.shadow ? "numeric c-shadow" : "numeric c-refused") : "numeric muted" }, formatNumber(sum.refused + sum.shadow));
    if (banEnd(rule.id)) return banRow(rule, refusedCell);
    const match = Object.entries(rule.match ?? {}).map(([name, value]) => `${name} ${formatList(value)}`).join(" · ");
    return h("tr", {},
      h("td", {}, ruleLink(rule.id), rule.enabled === false && [" ", h("span", { class: "tag" }, "disabled")]),
      h("td", {}, match ? h("span", { class: "mono clamp", title: match }, match) : h("span", { class: "muted" }, "all requests")),
      h("td", { class: "wide-only" }, rule.per?.join(", ") || h("span", { class: "muted" }, "one counter for all")),
      h("td", {}, LIMIT_OF_ACTION[rule.action] ?? formatList(rule.limit), rule.algorithm && h("div", { class: "small muted" }, rule.algorithm), latest.overshoot[rule.id] && h("div", { class: "small muted" }, overshootText(latest.overshoot[rule.id]))),
      refusedCell,
      h("td", { class: "fit" }, h("button", { type: "button", class: "switch", role: "switch", "aria-checked": String(rule.shadow === true), "aria-label": `Shadow of ${rule.id}`, disabled: !latest.editable, onclick: () => toggleShadow(rule) })));
  }

  function toggleShadow(rule) {
    const toggle = withErrorToast(() => setShadow(rule));
    if (rule.shadow) toggle();
    else confirmDialog(`Stop enforcing ${rule.id}?`, SHADOW_CONSEQUENCE, "Switch to shadow", toggle);
  }

  async function setShadow(rule) {
    const next = { ...rule, shadow: !rule.shadow };
    await request("PUT", rulePath(rule.id), { body: JSON.stringify(next), match: `"${latest.revisions[rule.id]}"` });
    toast(next.shadow ? `${rule.id} is now in shadow mode` : `${rule.id} is now enforced`, "Undo", withErrorToast(() => undo(rule.id, reload)));
    await load();
  }

  feed.addEventListener("rules", debounce(300, reload), { signal });
  feed.addEventListener("tick", debounce(900, () => latest && !rows.contains(document.activeElement) && render()), { signal });
  queueMicrotask(reload);
  return [
    pageHeader("Rules", "A change takes effect here at once and on every node within two seconds; counters are kept.", newButton),
    h("section", { class: "panel" },
      h("div", { class: "top" },
        h("label", { class: "grow" }, h("span", { class: "visually-hidden" }, "Find rules"), h("input", { type: "search", name: "find", value: find, placeholder: "Find by name, endpoint, limit…", oninput: debounce(200, e => { find = e.target.value; from = 0; reload(); }) })),
        summary),
      rows, pager),
  ];
}

async function undo(id, onDone, tag) {
  await request("POST", `${rulePath(id)}/undo`, tag ? { match: tag } : {});
  toast(`Undid the last change of ${id}`);
  onDone();
}

function rulePage(signal, id) {
  const page = h("div", { class: "stack" });
  const details = h("div", { class: "stack" }, loadingState());
  const changeList = h("div", {}, loadingState());
  const plot = trafficPlot(180);
  const note = h("p", { class: "small muted" });
  const buttons = h("div", { class: "row" });
  let range = "second";

  async function load() {
    const { content: rule, tag } = await request("GET", rulePath(id), { signal });
    if (page.firstChild !== rulePanels[0]) replaceContent(page, rulePanels);
    if (banEnd(id)) return showBan(rule.match);
    const { editable, file, overshoot } = await get(`/admin/rules?${new URLSearchParams({ find: `"id":"${id}"`, count: 1 })}`, { signal });
    replaceContent(details, overshoot[id] && h("p", { class: "small muted" }, `Consistency ${rule.consistency}: ${overshootText(overshoot[id])} per caller, with the current number of nodes.`),
      !editable && h("p", { class: "small muted" }, "Rules are stored in the file ", h("code", {}, file ?? ""), ": edit this rule there."),
      editor({ rule, tag, editable, done: reload }));
    replaceContent(buttons, editable && [
      h("button", { type: "button", onclick: withErrorToast(() => undo(id, reload)) }, "Undo last change"),
      h("button", { type: "button", class: "danger", onclick: () => confirmDialog(`Delete ${id}?`, "Its counters stay until they expire; the rule can be restored from its history.", "Delete", withErrorToast(remove)) }, "Delete")]);
    if (editable) loadHistory().catch(e => replaceContent(changeList, errorBanner(e)));
    else replaceContent(changeList, emptyState("No history", "Rules in a file have no history here; use version control."));
  }

  function showBan(caller) {
    const lift = () => liftBan(caller, () => { location.hash = `#/callers?${new URLSearchParams(caller)}`; });
    replaceContent(details, h("section", { class: "panel stack" },
      h("p", {}, "All requests of ", callerLink(caller), ` are refused on every node. The ban ends by itself at ${formatEnd(banEnd(id))}.`),
      h("div", {}, h("button", { type: "button", onclick: withErrorToast(lift) }, "Lift ban"))));
    loadHistory().catch(e => replaceContent(changeList, errorBanner(e)));
  }

  async function remove() {
    await request("DELETE", rulePath(id));
    toast(`Deleted ${id}`, "Undo", withErrorToast(() => undo(id, () => { location.hash = `#/rules/${id}`; })));
    location.hash = "#/rules";
  }

  async function loadHistory() {
    const { changes } = await get(`${rulePath(id)}/history`, { signal });
    const ban = banEnd(id);
    const actionOf = change => (!change.before ? (ban ? `banned ${callerText(change.after.match)}` : "created it") : !change.after ? (ban ? "ended the ban" : "deleted it") : "changed it");
    replaceContent(changeList, h("ol", { class: "timeline" }, changes.slice(0, 30).map((change, i) => h("li", {},
      h("div", {}, h("b", {}, change.who), ` ${actionOf(change)} `, h("span", { class: "small muted" }, `${formatDateTime(change.when)} · revision ${change.revision}`)),
      !ban && h("div", { class: "diff" }, diff(change.before, change.after)),
      i === 0 && !ban && h("div", {}, h("button", { type: "button", class: "compact", onclick: withErrorToast(() => undo(id, reload, `"${change.revision}"`)) }, "Undo this"))))));
  }

  async function draw() {
    const span = { second: SPAN, minute: 86400, hour: 90 * 86400 }[range];
    if (range === "second") plot.draw({ from: feed.now - span, to: feed.now, step: 2, points: feed.rules.get(id) ?? [] });
    else {
      const counts = await get(`/admin/traffic?${new URLSearchParams({ step: range, rule: id })}`, { signal });
      const now = Math.floor(Date.now() / 1000);
      plot.draw({ from: now - span, to: now + counts.seconds, step: counts.seconds, points: counts.points });
      replaceContent(note, counts.survives ? "" : "Rules are stored in a file, so this history is kept in the memory of this node and lost on restart.");
    }
  }

  async function showError(e) {
    if (e.name === "AbortError") return;
    if (e.status !== 404) return replaceContent(details, errorBanner(e));
    replaceContent(page, notFound(banEnd(id) ? "this ban has ended" : `there is no rule “${id}”`, h("a", { href: "#/rules" }, "All rules")));
    await loadHistory();
    replaceContent(buttons, !banEnd(id) && h("button", { type: "button", onclick: withErrorToast(() => undo(id, reload)) }, "Restore"));
    page.append(panel("It existed", buttons, changeList));
  }
  const reload = () => load().catch(showError).catch(() => {}); // a rule that never existed has no history
  feed.addEventListener("tick", () => range === "second" && draw(), { signal });
  queueMicrotask(() => { reload(); draw(); });
  const rulePanels = [
    pageHeader(ruleName(id), h("a", { href: "#/rules" }, "← All rules"), buttons),
    panel("Decisions", segmentedControl("Time range", [["second", "5 min"], ["minute", "24 h"], ["hour", "90 days"]], range, v => { range = v; replaceContent(note); draw().catch(e => replaceContent(note, errorBanner(e))); }), plot.element, note),
    details,
    panel("History", null, changeList),
  ];
  return replaceContent(page, rulePanels);
}

/** Returns the changed fields between two versions of a rule. */
function diff(before, after) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap(name => {
    const old = before && name in before ? JSON.stringify(before[name]) : undefined;
    const now = after && name in after ? JSON.stringify(after[name]) : undefined;
    return old === now ? [] : [old !== undefined && h("del", {}, `${name}: ${old}`), now !== undefined && h("ins", {}, `${name}: ${now}`)];
  });
}
