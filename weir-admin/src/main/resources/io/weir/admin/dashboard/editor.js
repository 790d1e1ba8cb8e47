// The rule editor, as a form or as YAML: validates while typing and replays the last hour before saving.
import { h, replaceContent, formatNumber, formatExact, formatDuration, debounce } from "./dom.js";
import { request } from "./api.js";
import { feed } from "./feed.js";
import { barPlot } from "./plot.js";
import { dialog, confirmDialog, segmentedControl, toast, withErrorToast, callerText, loadingState } from "./parts.js";
import { ruleForm } from "./form.js";

const YAML = "application/yaml";
export const SHADOW_CONSEQUENCE = "Its refusals are still counted, but it refuses no request until shadow is switched off.";

/** Opens a dialog for a new rule. */
export function openEditor({ rule, from }) {
  dialog("New rule", false, close => editor({
    rule,
    cancel: close,
    done: saved => {
      close();
      feed.createdRule = saved.id;
      if (from !== "live") location.hash = `#/rules/${saved.id}`;
    },
  }));
}

/** The initial rule for a row of the Live page: half of the current rate, per caller. */
export function ruleFor(line, busy) {
  const caller = ["user", "api_key", "ip"].find(name => busy.lines.some(other => other.attribute === name));
  const requests = line.attribute === "endpoint" && caller ? Math.min(line.requests, busy.lines.find(other => other.attribute === caller).requests) : line.requests;
  const perMinute = Math.max(1, requests / (busy.span_ms / 60000) / 2);
  const power = 10 ** Math.floor(Math.log10(perMinute));
  const permits = Math.max(1, Math.round(perMinute / power) * power);
  const slug = text => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 48) || "new";
  const per = line.attribute === "endpoint" || line.attribute === "tier" ? (caller ? [caller] : []) : [line.attribute];
  return { id: line.attribute === "endpoint" ? slug(line.value) : slug(`${line.attribute}-${line.value}`), match: { [line.attribute]: line.value }, per, limit: `${permits}/minute` };
}

/** `tag` is the ETag of the changed rule; undefined for a new rule. */
export function editor({ rule, tag, cancel, done, editable = true }) {
  let mode = "form";
  let form = ruleForm(rule, changed, !tag);
  const yaml = h("textarea", { class: "code", name: "yaml", spellcheck: "false", "aria-label": "The rule as YAML", oninput: changed });
  const body = h("div", {}, form.element);
  const problems = h("div", { "aria-live": "polite" });
  const preview = h("div", { class: "stack" });
  const save = h("button", { class: "primary", type: "submit", disabled: true }, tag ? "Save" : "Create rule");
  let valid = null;
  let requestAbort = new AbortController();

  const requestBody = () => (mode === "form" ? { body: JSON.stringify(form.read()) } : { body: yaml.value, type: YAML });
  const validateSoon = debounce(200, validate);

  function changed() {
    save.disabled = true;
    validateSoon();
  }

  async function validate() {
    requestAbort.abort();
    requestAbort = new AbortController();
    const { signal } = requestAbort;
    try {
      const { content } = await request("POST", "/admin/rules/validate", { ...requestBody(), signal });
      valid = content.valid && content.rules === 1 ? content : null;
      const list = content.valid && content.rules !== 1 ? [{ reason: "write one rule here" }] : content.problems;
      showProblems(list);
      save.disabled = !valid || !editable;
      if (valid) await replay(signal);
    } catch (e) {
      if (e.name !== "AbortError") showProblems([{ reason: e.message }]);
    }
  }

  function showProblems(found) {
    const rest = mode === "form" ? form.showProblems(found) : found;
    yaml.setAttribute("aria-invalid", String(mode === "yaml" && found.length > 0));
    replaceContent(problems, rest.map(problem => h("p", { class: "problem" }, [mode === "yaml" && problem.line ? `line ${problem.line}` : "", problem.field, problem.reason].filter(Boolean).join(": "))));
  }

  async function replay(signal) {
    if (!preview.childElementCount) replaceContent(preview, loadingState("Replaying the last hour…"));
    const { content } = await request("POST", "/admin/rules/what-if", { ...requestBody(), signal });
    replaceContent(preview, whatIfSummary(content, tag));
  }

  async function switchMode(next) {
    if (next === mode) return;
    if (next === "yaml") {
      const { content } = await request("POST", "/admin/rules/validate", requestBody());
      yaml.value = content.yaml ?? JSON.stringify(form.read(), null, 2);
    } else if (valid) {
      form = ruleForm(valid.rule, changed, !tag);
    } else {
      toast("The form can show only a valid rule; fix the problems shown below first.");
      return replaceContent(modeSwitch, modeButtons());
    }
    mode = next;
    replaceContent(body, mode === "form" ? form.element : yaml);
    validate();
  }
  const modeButtons = () => segmentedControl("Edit as", [["form", "Form"], ["yaml", "YAML"]], mode, withErrorToast(switchMode));
  const modeSwitch = h("div", {}, modeButtons());

  const isEnforced = one => one.enabled !== false && !one.shadow;

  function submit(event) {
    event.preventDefault();
    if (!valid) return;
    if (!tag || !isEnforced(rule) || isEnforced(valid.rule)) store();
    else if (valid.rule.shadow) confirmDialog(`Stop enforcing ${valid.rule.id}?`, SHADOW_CONSEQUENCE, "Switch to shadow", store);
    else confirmDialog(`Disable ${valid.rule.id}?`, "It is not evaluated until it is enabled again.", "Disable", store);
  }

  async function store() {
    const { id } = valid.rule;
    try {
      const saved = await request("PUT", `/admin/rules/${encodeURIComponent(id)}`, { ...requestBody(), match: tag ?? "new" });
      toast(tag ? `Saved ${id}` : `Created ${id}; it is in effect`, "Undo", withErrorToast(async () => {
        await request("POST", `/admin/rules/${encodeURIComponent(id)}/undo`, { match: saved.tag });
        feed.createdRule = null;
        toast("Undone");
      }));
      done(saved.content, saved.tag);
    } catch (e) {
      const conflict = e.body.error === "conflict";
      if (conflict && !tag) showProblems([{ field: "id", reason: "a rule with this name exists; choose another name" }]);
      else if (conflict) showProblems([{ reason: "this rule was changed meanwhile; reload it, then change it" }]);
      else showProblems(e.body.problems ?? [{ reason: e.message }]);
    }
  }

  queueMicrotask(validate);
  return h("form", { class: "stack", onsubmit: submit },
    h("div", { class: "row" }, h("h2", { class: "grow" }, tag ? "Rule" : "New rule"), modeSwitch),
    h("div", { class: "columns wide" },
      h("div", { class: "panel stack" }, body, problems,
        h("div", { class: "row end" }, cancel && h("button", { type: "button", onclick: cancel }, "Cancel"), save)),
      h("section", { class: "panel stack", "aria-label": "What it would have refused" }, h("h2", {}, "In the last hour"), preview)));
}

function whatIfSummary(result, isChange) {
  const span = result.span_ms >= 3590000 ? "the last hour" : `the last ${formatDuration(result.span_ms)}`;
  if (!result.requests) return h("p", { class: "muted" }, "This node has no recent requests to replay.");
  const share = result.met ? (100 * result.refused) / result.met : 0;
  return [
    h("p", {}, h("b", {}, result.refused ? `It would have refused ${formatNumber(result.refused)}` : "It would have refused none"),
      ` of ${formatNumber(result.met)} requests it matches (${share.toFixed(share && share < 10 ? 1 : 0)} %), in ${span}.`,
      isChange && ` Currently: ${formatNumber(result.refused_as_is)}.`),
    result.refused + result.refused_as_is > 0 && h("div", {}, barPlot(result.bars, result.bars_as_is, "Refusals over time"),
      h("div", { class: "readout" }, h("span", { class: "key refused" }, "would be refused"), isChange && h("span", { class: "key allowed" }, "currently refused"))),
    result.callers.length > 0 && h("div", { class: "stack" }, h("h3", {}, "Most refused"),
      h("table", {}, h("tbody", {}, result.callers.slice(0, 6).map(entry => h("tr", {}, h("td", { class: "name" }, callerText(entry.caller)), h("td", { class: "numeric c-refused" }, formatExact(entry.refused))))))),
    h("p", { class: "small muted" }, `Replayed ${formatNumber(result.requests)} requests of this node with the real limiter, starting with fresh counters.`,
      result.one_in > 1 && ` One in ${result.one_in} callers is recorded; figures are scaled up.`),
  ];
}
