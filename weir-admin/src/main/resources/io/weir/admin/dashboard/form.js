// The form for a rule.
import { h } from "./dom.js";

const ACTIONS = ["limit", "allow", "block"];
const ALGORITHMS = ["token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter"];
const CONSISTENCIES = ["exact", "leased", "synced", "local"];
/** The fields that the form edits; all others are kept as they are. */
const EDITED_FIELDS = ["id", "action", "match", "per", "limit", "algorithm", "burst", "cool-down", "consistency", "sync-every", "on-store-failure", "local-share", "charge-when", "refund-when", "overrides", "durable", "shadow", "enabled"];
const otherFields = rule => Object.fromEntries(Object.entries(rule).filter(([name]) => !EDITED_FIELDS.includes(name)));
const FALLBACKS = ["open", "closed", "local"];
const ATTRIBUTES = ["endpoint", "user", "api_key", "ip", "tier", "method", "path", "host"];

const splitList = text => text.split(",").map(item => item.trim()).filter(Boolean);
const singleOrList = values => (values.length === 1 ? values[0] : values);
const formatList = value => (Array.isArray(value) ? value.join(", ") : value ?? "");

/** `read()` returns the rule; `showProblems(problems)` shows problems next to their fields and returns those without a field. */
export function ruleForm(rule, changed, isNew) {
  const fields = new Map();
  let count = 0;

  function field(name, label, input, hint, span) {
    const error = h("span", { class: "problem", id: `problem-${name}-${count}` });
    input.setAttribute("aria-describedby", `problem-${name}-${count++}`);
    fields.set(name, { input, error });
    return h("label", { class: span ? "all" : "" }, label, input, hint && h("span", { class: "hint" }, hint), error);
  }
  const text = (value, props) => h("input", { name: `field-${count}`, value: value ?? "", autocomplete: "off", spellcheck: "false", oninput: changed, ...props });
  const select = (values, value) => h("select", { name: `field-${count}`, onchange: changed, value }, values.map(v => h("option", { value: v, selected: v === value }, v)));
  const check = (name, label, value) => {
    const input = h("input", { name, type: "checkbox", checked: value, onchange: changed });
    return { input, element: h("label", { class: "check" }, input, label) };
  };

  const id = text(rule.id, { name: "id", readonly: !isNew, maxlength: 64 });
  const limit = text(formatList(rule.limit), { name: "limit", placeholder: "100/minute" });
  const per = text(formatList(rule.per), { name: "per", placeholder: "user", list: "attributes" });
  const action = select(ACTIONS, rule.action ?? "limit");
  const algorithm = select(ALGORITHMS, rule.algorithm ?? "token-bucket");
  const burst = text(rule.burst, { inputmode: "numeric", placeholder: "the limit" });
  const consistency = select(CONSISTENCIES, rule.consistency ?? "exact");
  const fallback = select(FALLBACKS, rule["on-store-failure"] ?? "open");
  const share = text(rule["local-share"], { placeholder: "10%" });
  const sync = text(rule["sync-every"], { placeholder: "100ms" });
  const coolDown = text(rule["cool-down"], { placeholder: "none" });
  const chargeWhen = text(formatList(rule["charge-when"]?.status), { placeholder: "all" });
  const refundWhen = text(formatList(rule["refund-when"]?.status), { placeholder: "none" });
  const shadow = check("shadow", "Shadow: counted, not enforced", rule.shadow === true);
  const enabled = check("enabled", "Enabled", rule.enabled !== false);
  const durable = check("durable", "Counters must survive a restart of the store", rule.durable === true);
  const match = conditionRows(rule.match ?? {}, "Add a condition", changed);
  const simple = (rule.overrides ?? []).every(o => Object.keys(o.when).length === 1 && !o.burst);
  const overrides = simple ? overrideRows(rule.overrides ?? [], changed) : null;

  const element = h("div", { class: "fields" },
    h("datalist", { id: "attributes" }, ATTRIBUTES.map(a => h("option", { value: a }))),
    field("id", "Name", id, "a–z, 0–9 and -; counters belong to this name"),
    field("limit", "Limit", limit, "100/minute, 5/30s; several: 10/second, 1000/hour"),
    field("per", "One counter for each", per, "attributes, for example user or user, ip; empty: one counter for all"),
    field("algorithm", "Algorithm", algorithm),
    field("action", "Action", action, "limit; allow: no further rule applies; block: refuse with 403"),
    h("div", { class: "all" }, h("h3", {}, "Matches"), match.element, problemText("match")),
    h("div", { class: "all row" }, shadow.element, enabled.element),
    h("details", { class: "all", open: Boolean(rule.burst || rule.overrides?.length || rule["local-share"] || (rule.consistency && rule.consistency !== "exact")) }, h("summary", {}, "More"),
      h("div", { class: "fields" },
        field("burst", "Burst", burst, "size of the bucket or of the queue"),
        field("consistency", "Consistency", consistency),
        field("sync-every", "Sync interval", sync, "for synced"),
        field("on-store-failure", "Fallback if the store fails", fallback),
        field("local-share", "Local share", share, "for local"),
        field("cool-down", "Cool-down", coolDown, "for fixed-window"),
        field("charge-when", "Counts responses", chargeWhen, "statuses, for example 401, 403; empty: every request counts"),
        field("refund-when", "Refunds responses", refundWhen, "statuses, for example 5xx"),
        h("div", { class: "all row" }, durable.element),
        h("div", { class: "all" }, h("h3", {}, "Overrides"), overrides ? overrides.element : h("p", { class: "small muted" }, `${rule.overrides.length} overrides; edit them as YAML`), problemText("overrides")),
        Object.keys(otherFields(rule)).length > 0 && h("p", { class: "all small muted" }, `Kept as they are, to edit as YAML: ${Object.keys(otherFields(rule)).join(", ")}.`))));

  function problemText(name) {
    const error = h("p", { class: "problem" });
    fields.set(name, { error });
    return error;
  }

  return {
    element,
    read() {
      const edited = { id: id.value.trim(), ...otherFields(rule) };
      if (action.value !== "limit") edited.action = action.value;
      const conditions = match.read();
      if (Object.keys(conditions).length) edited.match = conditions;
      if (splitList(per.value).length) edited.per = splitList(per.value);
      if (action.value === "limit" || limit.value.trim()) edited.limit = splitList(limit.value).length ? singleOrList(splitList(limit.value)) : "";
      if (algorithm.value !== "token-bucket") edited.algorithm = algorithm.value;
      if (burst.value.trim()) edited.burst = /^[1-9]\d{0,14}$/.test(burst.value.trim()) ? Number(burst.value) : burst.value;
      if (coolDown.value.trim()) edited["cool-down"] = coolDown.value.trim();
      if (consistency.value !== "exact") edited.consistency = consistency.value;
      if (sync.value.trim()) edited["sync-every"] = sync.value.trim();
      if (fallback.value !== "open") edited["on-store-failure"] = fallback.value;
      if (share.value.trim()) edited["local-share"] = share.value.trim();
      if (chargeWhen.value.trim()) edited["charge-when"] = { status: singleOrList(splitList(chargeWhen.value)) };
      if (refundWhen.value.trim()) edited["refund-when"] = { status: singleOrList(splitList(refundWhen.value)) };
      const overrideList = overrides ? overrides.read() : rule.overrides;
      if (overrideList.length) edited.overrides = overrideList;
      if (durable.input.checked) edited.durable = true;
      if (shadow.input.checked) edited.shadow = true;
      if (!enabled.input.checked) edited.enabled = false;
      return edited;
    },
    showProblems(problems) {
      for (const { input, error } of fields.values()) {
        error.textContent = "";
        input?.setAttribute("aria-invalid", "false");
      }
      return problems.filter(problem => {
        const found = fields.get(problem.field?.split(/[.[ ]/)[0]);
        if (!found) return true;
        found.error.textContent = problem.reason;
        found.input?.setAttribute("aria-invalid", "true");
        return false;
      });
    },
  };
}

/** Editable rows of an attribute and its values. */
function conditionRows(given, add, changed) {
  const rows = h("div", { class: "stack" });
  const row = (name, value) => {
    const element = h("div", { class: "row" },
      h("input", { class: "grow", value: name, list: "attributes", name: "attribute", "aria-label": "Attribute", placeholder: "endpoint", oninput: changed }),
      h("input", { class: "grow", value, name: "values", "aria-label": "Values", placeholder: "GET /v1/orders/**", oninput: changed }),
      h("button", { type: "button", class: "compact borderless", "aria-label": "Remove this condition", onclick: () => { element.remove(); changed(); } }, "✕"));
    return element;
  };
  rows.append(...Object.entries(given).map(([name, value]) => row(name, formatList(value))));
  return {
    element: h("div", { class: "stack" }, rows, h("div", {}, h("button", { type: "button", class: "compact", onclick: () => { const next = row("", ""); rows.append(next); next.querySelector("input").focus(); } }, add))),
    read: () => Object.fromEntries([...rows.children].map(r => [...r.querySelectorAll("input")].map(i => i.value.trim())).filter(([name]) => name).map(([name, value]) => [name, singleOrList(value.includes(",") ? splitList(value) : [value])])),
  };
}

/** Editable rows of an attribute, its values, and a limit. */
function overrideRows(given, changed) {
  const rows = h("div", { class: "stack" });
  const row = (name, value, limit) => {
    const element = h("div", { class: "row" },
      h("input", { class: "grow", value: name, list: "attributes", name: "attribute", "aria-label": "Attribute", placeholder: "user", oninput: changed }),
      h("input", { class: "grow", value, name: "value", "aria-label": "Value", placeholder: "acme", oninput: changed }),
      h("input", { class: "grow", value: limit, name: "other", "aria-label": "Limit for this value", placeholder: "6000/minute", oninput: changed }),
      h("button", { type: "button", class: "compact borderless", "aria-label": "Remove this override", onclick: () => { element.remove(); changed(); } }, "✕"));
    return element;
  };
  rows.append(...given.map(o => row(Object.keys(o.when)[0], formatList(Object.values(o.when)[0]), formatList(o.limit))));
  return {
    element: h("div", { class: "stack" }, rows, h("div", {}, h("button", { type: "button", class: "compact", onclick: () => rows.append(row("", "", "")) }, "Add an override"))),
    read: () => [...rows.children].map(r => [...r.querySelectorAll("input")].map(i => i.value.trim())).filter(v => v.some(Boolean)).map(([name, value, limit]) => ({ when: { [name]: singleOrList(value.includes(",") ? splitList(value) : [value]) }, limit: singleOrList(splitList(limit)) })),
  };
}
