// Rules: found among any number, switched, edited, and taken back.
import { h, put, number, exact, moment, settled } from "./dom.js";
import { ask, get } from "./api.js";
import { feed, SPAN } from "./feed.js";
import { traffic } from "./plot.js";
import { head, sheet, empty, table, segments, failed, waiting, toast, trying, sure, ruleLink } from "./parts.js";
import { editor, openEditor } from "./editor.js";

const PAGE = 50;
const shown = value => (Array.isArray(value) ? value.join(", ") : String(value));
const tooMany = permits => `nodes together: up to ${exact(permits)} too many`;
const pathOf = id => `/admin/rules/${encodeURIComponent(id)}`;

export function rulesPage(signal, path, query) {
  return path ? rulePage(signal, path) : listPage(signal, query);
}

function listPage(signal, query) {
  let find = query.get("find") ?? "";
  let from = 0;
  let last = null;
  const rows = h("div", {}, waiting());
  const said = h("span", { class: "small quiet", role: "status" });
  const pages = h("div", { class: "row end" });
  const make = h("button", { type: "button", class: "first", onclick: () => openEditor({ rule: { id: "", per: ["user"], limit: "100/minute" } }) }, "New rule");

  async function look() {
    const content = await get(`/admin/rules?${new URLSearchParams({ find, from, count: PAGE })}`, { signal });
    last = content;
    make.disabled = !content.editable;
    put(said, content.total === 0 ? "" : find ? `${exact(content.found)} of ${exact(content.total)} rules` : `${exact(content.total)} ${content.total === 1 ? "rule" : "rules"}, revision ${content.revision}`);
    paint();
    put(pages, content.found > PAGE && [
      h("span", { class: "small quiet" }, `${exact(from + 1)}–${exact(Math.min(from + PAGE, content.found))}`),
      h("button", { type: "button", class: "slim", disabled: from === 0, onclick: () => turn(-PAGE) }, "Back"),
      h("button", { type: "button", class: "slim", disabled: from + PAGE >= content.found, onclick: () => turn(PAGE) }, "Next")]);
  }
  const turn = by => { from = Math.max(0, from + by); again(); };
  const again = () => look().catch(e => { if (e.name !== "AbortError") put(rows, failed(e)); });

  function paint() {
    if (!last.rules.length) {
      return put(rows, find ? empty("No rule has that", "Names, attributes, limits and algorithms are searched.") : empty("There are no rules yet", last.editable ? "Everything is allowed. Make the first one, or click “Limit…” on a line of Live." : "Everything is allowed. Write them into the file; it is watched."));
    }
    put(rows, !last.editable && h("p", { class: "small quiet" }, "Rules live in the file ", h("code", {}, last.file ?? ""), ", which is watched: edit them there."),
      table(["Rule", "Meets", ["Per", "wideonly"], "Limit", ["Refused, 5 min", "n"], "Shadow"], last.rules.map(line), "Rules"));
  }

  function line(rule) {
    const sum = feed.sum(feed.rules.get(rule.id) ?? [], SPAN);
    const match = Object.entries(rule.match ?? {}).map(([name, value]) => `${name} ${shown(value)}`).join(" · ");
    return h("tr", {},
      h("td", {}, ruleLink(rule.id), rule.enabled === false && [" ", h("span", { class: "tag" }, "off")]),
      h("td", {}, match ? h("span", { class: "mono cut", title: match }, match) : h("span", { class: "quiet" }, "everyone")),
      h("td", { class: "wideonly" }, rule.per?.join(", ") || h("span", { class: "quiet" }, "all together")),
      h("td", {}, shown(rule.limit), rule.algorithm && h("div", { class: "small quiet" }, rule.algorithm), last.overshoot[rule.id] && h("div", { class: "small quiet" }, tooMany(last.overshoot[rule.id]))),
      h("td", { class: sum.refused + sum.shadow ? (rule.shadow ? "n c-shadow" : "n c-refused") : "n quiet" }, number(sum.refused + sum.shadow)),
      h("td", { class: "fit" }, h("button", { type: "button", class: "switch", role: "switch", "aria-checked": String(rule.shadow === true), "aria-label": `Shadow of ${rule.id}`, disabled: !last.editable, onclick: trying(() => flip(rule)) })));
  }

  async function flip(rule) {
    const next = { ...rule, shadow: !rule.shadow };
    await ask("PUT", pathOf(rule.id), { body: JSON.stringify(next), match: `"${last.revisions[rule.id]}"` });
    toast(next.shadow ? `${rule.id} is only judged now` : `${rule.id} is enforced now`, "Undo", trying(() => undo(rule.id, again)));
    await look();
  }

  feed.addEventListener("rules", settled(300, again), { signal });
  feed.addEventListener("tick", settled(900, () => last && !rows.contains(document.activeElement) && paint()), { signal });
  queueMicrotask(again);
  return [
    head("Rules", "What is limited, by how much, for whom. A change is in force here at once and on every node within two seconds; counters stay.", make),
    h("section", { class: "sheet" },
      h("div", { class: "top" },
        h("label", { class: "grow" }, h("span", { class: "hidden" }, "Find rules"), h("input", { type: "search", name: "find", value: find, placeholder: "Find by name, endpoint, limit…", oninput: settled(200, e => { find = e.target.value; from = 0; again(); }) })),
        said),
      rows, pages),
  ];
}

async function undo(id, then, tag) {
  await ask("POST", `${pathOf(id)}/undo`, tag ? { match: tag } : {});
  toast(`Took back the last change of ${id}`);
  then();
}

function rulePage(signal, id) {
  const place = h("div", { class: "stack" }, waiting());
  const past = h("div", {}, waiting());
  const plot = traffic(180);
  const note = h("p", { class: "small quiet" });
  const buttons = h("div", { class: "row" });
  let range = "second";

  async function look() {
    const { content, tag } = await ask("GET", pathOf(id), { signal });
    const { editable, file, overshoot } = await get(`/admin/rules?${new URLSearchParams({ find: `"id":"${id}"`, count: 1 })}`, { signal });
    put(place, overshoot[id] && h("p", { class: "small quiet" }, `Counted ${content.consistency}: ${tooMany(overshoot[id])}, by one caller, with the nodes of now.`),
      !editable && h("p", { class: "small quiet" }, "Rules live in the file ", h("code", {}, file ?? ""), ": edit this one there."),
      editor({ rule: content, tag, editable, done: again }));
    put(buttons, editable && [
      h("button", { type: "button", onclick: trying(() => undo(id, again)) }, "Undo last change"),
      h("button", { type: "button", class: "danger", onclick: () => sure(`Delete ${id}?`, "Its counters stay until they are fresh, and the history brings the rule back.", "Delete", trying(remove)) }, "Delete")]);
    if (editable) history().catch(e => put(past, failed(e)));
    else put(past, empty("No history", "A file keeps none; your version control does."));
  }

  async function remove() {
    await ask("DELETE", pathOf(id));
    toast(`Deleted ${id}`, "Undo", trying(() => undo(id, () => { location.hash = `#/rules/${id}`; })));
    location.hash = "#/rules";
  }

  async function history() {
    const { changes } = await get(`${pathOf(id)}/history`, { signal });
    put(past, h("ol", { class: "timeline" }, changes.slice(0, 30).map((change, i) => h("li", {},
      h("div", {}, h("b", {}, change.who), ` ${!change.before ? "made it" : !change.after ? "deleted it" : "changed it"} `, h("span", { class: "small quiet" }, `${moment(change.when)} · revision ${change.revision}`)),
      h("div", { class: "diff" }, diff(change.before, change.after)),
      i === 0 && h("div", {}, h("button", { type: "button", class: "slim", onclick: trying(() => undo(id, again, `"${change.revision}"`)) }, "Undo this"))))));
  }

  async function draw() {
    const span = { second: SPAN, minute: 86400, hour: 90 * 86400 }[range];
    if (range === "second") plot.draw({ from: feed.now - span, to: feed.now, step: 2, points: feed.rules.get(id) ?? [] });
    else {
      const kept = await get(`/admin/traffic?${new URLSearchParams({ step: range, rule: id })}`, { signal });
      const now = Math.floor(Date.now() / 1000);
      plot.draw({ from: now - span, to: now + kept.seconds, step: kept.seconds, points: kept.points });
      put(note, kept.survives ? "" : "Rules live in a file, so this history is in this node's memory and ends with it.");
    }
  }

  async function gone(e) {
    if (e.name === "AbortError") return;
    if (e.status !== 404) return put(place, failed(e));
    put(place, empty("There is no such rule", "It was deleted, or never made."));
    put(buttons, h("button", { type: "button", onclick: trying(() => undo(id, again)) }, "Bring it back"));
    history().catch(() => put(past, empty("No history")));
  }
  const again = () => look().catch(gone);
  feed.addEventListener("tick", () => range === "second" && draw(), { signal });
  queueMicrotask(() => { again(); draw(); });
  return [
    head(id, h("a", { href: "#/rules" }, "← All rules"), buttons),
    sheet("What it said", segments("Time shown", [["second", "5 min"], ["minute", "24 h"], ["hour", "90 days"]], range, v => { range = v; put(note); draw().catch(e => put(note, failed(e))); }), plot.element, note),
    place,
    sheet("History", null, past),
  ];
}

/** What differs between two rules, field by field. */
function diff(before, after) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap(name => {
    const old = before && name in before ? JSON.stringify(before[name]) : undefined;
    const now = after && name in after ? JSON.stringify(after[name]) : undefined;
    return old === now ? [] : [old !== undefined && h("del", {}, `${name}: ${old}`), now !== undefined && h("ins", {}, `${name}: ${now}`)];
  });
}
