// One rule, as a form or as YAML: judged as it is written, and against the last hour before it is saved.
import { h, put, number, exact, lasts, settled } from "./dom.js";
import { ask } from "./api.js";
import { feed } from "./feed.js";
import { bars } from "./plot.js";
import { dialog, segments, toast, trying, callerText, waiting } from "./parts.js";
import { ruleForm } from "./form.js";

const YAML = "application/yaml";

/** A new rule over whatever page is open. */
export function openEditor({ rule, from }) {
  dialog("New rule", false, close => editor({
    rule,
    cancel: close,
    done: saved => {
      close();
      feed.made = saved.id;
      if (from !== "live") location.hash = `#/rules/${saved.id}`;
    },
  }));
}

/** What a rule for a line of Live is at first: half of what comes now, for each caller. */
export function ruleFor(line, busy) {
  const caller = ["user", "api_key", "ip"].find(name => busy.lines.some(one => one.attribute === name));
  const ofOne = line.attribute === "endpoint" && caller ? Math.min(line.requests, busy.lines.find(one => one.attribute === caller).requests) : line.requests;
  const perMinute = Math.max(1, ofOne / (busy.span_ms / 60000) / 2);
  const power = 10 ** Math.floor(Math.log10(perMinute));
  const permits = Math.max(1, Math.round(perMinute / power) * power);
  const slug = text => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 48) || "new";
  const per = line.attribute === "endpoint" || line.attribute === "tier" ? (caller ? [caller] : []) : [line.attribute];
  return { id: line.attribute === "endpoint" ? slug(line.value) : slug(`${line.attribute}-${line.value}`), match: { [line.attribute]: line.value }, per, limit: `${permits}/minute` };
}

/** `tag` is the revision of the rule it changes; none for a new one. */
export function editor({ rule, tag, cancel, done, editable = true }) {
  let mode = "form";
  let form = ruleForm(rule, changed, !tag);
  const yaml = h("textarea", { class: "code", name: "yaml", spellcheck: "false", "aria-label": "The rule as YAML", oninput: changed });
  const body = h("div", {}, form.element);
  const problems = h("div", { "aria-live": "polite" });
  const preview = h("div", { class: "stack" });
  const save = h("button", { class: "first", type: "submit", disabled: true }, tag ? "Save" : "Create rule");
  let valid = null;
  let asking = new AbortController();

  const text = () => (mode === "form" ? { body: JSON.stringify(form.read()) } : { body: yaml.value, type: YAML });
  const judgeSoon = settled(200, judge);

  function changed() {
    save.disabled = true;
    judgeSoon();
  }

  async function judge() {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const { content } = await ask("POST", "/admin/rules/validate", { ...text(), signal });
      valid = content.valid && content.rules === 1 ? content : null;
      const told = content.valid && content.rules !== 1 ? [{ reason: "write one rule here" }] : content.problems;
      show(told);
      save.disabled = !valid || !editable;
      if (valid) await play(signal);
    } catch (e) {
      if (e.name !== "AbortError") show([{ reason: e.message }]);
    }
  }

  function show(found) {
    const left = mode === "form" ? form.complain(found) : found;
    yaml.setAttribute("aria-invalid", String(mode === "yaml" && found.length > 0));
    put(problems, left.map(one => h("p", { class: "problem" }, [mode === "yaml" && one.line ? `line ${one.line}` : "", one.field, one.reason].filter(Boolean).join(": "))));
  }

  async function play(signal) {
    if (!preview.childElementCount) put(preview, waiting("Looking at the last hour…"));
    const { content } = await ask("POST", "/admin/rules/what-if", { ...text(), signal });
    put(preview, whatIf(content, tag));
  }

  async function turn(next) {
    if (next === mode) return;
    if (next === "yaml") {
      const { content } = await ask("POST", "/admin/rules/validate", text());
      yaml.value = content.yaml ?? JSON.stringify(form.read(), null, 2);
    } else if (valid) {
      form = ruleForm(valid.rule, changed, !tag);
    } else {
      toast("The form can show a rule once it is right; put right what is said below it.");
      return put(modes, choice());
    }
    mode = next;
    put(body, mode === "form" ? form.element : yaml);
    judge();
  }
  const choice = () => segments("Edit as", [["form", "Form"], ["yaml", "YAML"]], mode, trying(turn));
  const modes = h("div", {}, choice());

  async function store(event) {
    event.preventDefault();
    if (!valid) return;
    const { id } = valid.rule;
    try {
      const saved = await ask("PUT", `/admin/rules/${encodeURIComponent(id)}`, { ...text(), match: tag ?? "new" });
      toast(tag ? `Saved ${id}` : `Made ${id}; it is in force`, "Undo", trying(async () => {
        await ask("POST", `/admin/rules/${encodeURIComponent(id)}/undo`, { match: saved.tag });
        feed.made = null;
        toast("Took it back");
      }));
      done(saved.content, saved.tag);
    } catch (e) {
      const conflict = e.body.error === "conflict";
      if (conflict && !tag) show([{ field: "id", reason: "there is a rule of this name; write another" }]);
      else if (conflict) show([{ reason: "somebody else changed this rule meanwhile; load it anew, then change it" }]);
      else show(e.body.problems ?? [{ reason: e.message }]);
    }
  }

  queueMicrotask(judge);
  return h("form", { class: "stack", onsubmit: store },
    h("div", { class: "row" }, h("h2", { class: "grow" }, tag ? "Rule" : "New rule"), modes),
    h("div", { class: "columns wide" },
      h("div", { class: "sheet stack" }, body, problems,
        h("div", { class: "row end" }, cancel && h("button", { type: "button", onclick: cancel }, "Cancel"), save)),
      h("section", { class: "sheet stack", "aria-label": "What it would have refused" }, h("h2", {}, "In the last hour"), preview)));
}

function whatIf(said, known) {
  const span = said.span_ms >= 3590000 ? "the last hour" : `the last ${lasts(said.span_ms)}`;
  if (!said.requests) return h("p", { class: "quiet" }, "No request came to this node yet, so there is nothing to judge it by.");
  const share = said.met ? (100 * said.refused) / said.met : 0;
  return [
    h("p", {}, h("b", {}, said.refused ? `It would have refused ${number(said.refused)}` : "It would have refused nobody"),
      ` of ${number(said.met)} requests it meets (${share.toFixed(share && share < 10 ? 1 : 0)} %), in ${span}.`,
      known && ` As it is: ${number(said.refused_as_is)}.`),
    said.refused + said.refused_as_is > 0 && h("div", {}, bars(said.bars, said.bars_as_is, "Refusals over time"),
      h("div", { class: "readout" }, h("span", { class: "key refused" }, "would be refused"), known && h("span", { class: "key allowed" }, "as it is"))),
    said.callers.length > 0 && h("div", { class: "stack" }, h("h3", {}, "Refused most"),
      h("table", {}, h("tbody", {}, said.callers.slice(0, 6).map(one => h("tr", {}, h("td", { class: "name" }, callerText(one.caller)), h("td", { class: "n c-refused" }, exact(one.refused))))))),
    h("p", { class: "small quiet" }, `Replayed: ${number(said.requests)} requests of this node, decided once more by the limiter itself, counters fresh at first.`,
      said.one_in > 1 && ` One caller in ${said.one_in} is remembered; figures are scaled up.`),
  ];
}
