// The fields of a rule.
import { h } from "./dom.js";

const ALGORITHMS = ["token-bucket", "leaky-bucket", "fixed-window", "sliding-log", "sliding-counter"];
const COUNTING = ["exact", "leased", "synced", "local"];
const POSTURES = ["open", "closed", "local"];
const ATTRIBUTES = ["endpoint", "user", "api_key", "ip", "tier", "method", "path", "host"];

const list = text => text.split(",").map(one => one.trim()).filter(Boolean);
const one = values => (values.length === 1 ? values[0] : values);
const shown = value => (Array.isArray(value) ? value.join(", ") : value ?? "");

/** `read()` gives the rule; `complain(problems)` shows what is wrong beside its field, and returns the rest. */
export function ruleForm(rule, changed, fresh) {
  const places = new Map();
  let count = 0;

  function field(name, label, input, hint, span) {
    const said = h("span", { class: "problem", id: `problem-${name}-${count}` });
    input.setAttribute("aria-describedby", `problem-${name}-${count++}`);
    places.set(name, { input, said });
    return h("label", { class: span ? "all" : "" }, label, input, hint && h("span", { class: "hint" }, hint), said);
  }
  const text = (value, props) => h("input", { name: `field-${count}`, value: value ?? "", autocomplete: "off", spellcheck: "false", oninput: changed, ...props });
  const select = (values, value) => h("select", { name: `field-${count}`, onchange: changed, value }, values.map(v => h("option", { value: v, selected: v === value }, v)));
  const check = (name, label, value) => {
    const input = h("input", { name, type: "checkbox", checked: value, onchange: changed });
    return { input, element: h("label", { class: "check" }, input, label) };
  };

  const id = text(rule.id, { name: "id", readonly: !fresh, maxlength: 64 });
  const limit = text(shown(rule.limit), { name: "limit", placeholder: "100/minute" });
  const per = text(shown(rule.per), { name: "per", placeholder: "user", list: "attributes" });
  const algorithm = select(ALGORITHMS, rule.algorithm ?? "token-bucket");
  const burst = text(rule.burst, { inputmode: "numeric", placeholder: "the limit" });
  const consistency = select(COUNTING, rule.consistency ?? "exact");
  const posture = select(POSTURES, rule["on-store-failure"] ?? "open");
  const share = text(rule["local-share"], { placeholder: "10%" });
  const sync = text(rule["sync-every"], { placeholder: "100ms" });
  const coolDown = text(rule["cool-down"], { placeholder: "none" });
  const shadow = check("shadow", "Shadow: judged, not enforced", rule.shadow === true);
  const enabled = check("enabled", "In force", rule.enabled !== false);
  const durable = check("durable", "Counters must outlive a restart of the store", rule.durable === true);
  const match = pairs(rule.match ?? {}, "Add a condition", changed);
  const simple = (rule.overrides ?? []).every(o => Object.keys(o.when).length === 1 && !o.burst);
  const overrides = simple ? exceptions(rule.overrides ?? [], changed) : null;

  const element = h("div", { class: "fields" },
    h("datalist", { id: "attributes" }, ATTRIBUTES.map(a => h("option", { value: a }))),
    field("id", "Name", id, "a–z, 0–9 and -; counters belong to it"),
    field("limit", "Limit", limit, "100/minute, 5/30s; several: 10/second, 1000/hour"),
    field("per", "One counter for each", per, "attributes, such as user or user, ip; empty: one for all"),
    field("algorithm", "Algorithm", algorithm),
    h("div", { class: "all" }, h("h3", {}, "Whom it meets"), match.element, place("match")),
    h("div", { class: "all row" }, shadow.element, enabled.element),
    h("details", { class: "all", open: Boolean(rule.burst || rule.overrides?.length || rule["local-share"] || (rule.consistency && rule.consistency !== "exact")) }, h("summary", {}, "More"),
      h("div", { class: "fields" },
        field("burst", "Burst", burst, "size of the bucket, or of the queue"),
        field("consistency", "Nodes count", consistency),
        field("sync-every", "Synced every", sync, "with synced"),
        field("on-store-failure", "When the store is silent", posture),
        field("local-share", "Local share", share, "with local"),
        field("cool-down", "Cool-down", coolDown, "with fixed-window"),
        h("div", { class: "all row" }, durable.element),
        h("div", { class: "all" }, h("h3", {}, "Other limits for some"), overrides ? overrides.element : h("p", { class: "small quiet" }, `${rule.overrides.length} overrides, which are edited as YAML`), place("overrides")),
        rule.regions && h("p", { class: "all small quiet" }, "Its regions are edited as YAML."))));

  function place(name) {
    const said = h("p", { class: "problem" });
    places.set(name, { said });
    return said;
  }

  return {
    element,
    read() {
      const now = { id: id.value.trim() };
      const met = match.read();
      if (Object.keys(met).length) now.match = met;
      if (list(per.value).length) now.per = list(per.value);
      now.limit = one(list(limit.value)) ?? "";
      if (Array.isArray(now.limit) && !now.limit.length) now.limit = "";
      if (algorithm.value !== "token-bucket") now.algorithm = algorithm.value;
      if (burst.value.trim()) now.burst = /^[1-9]\d{0,14}$/.test(burst.value.trim()) ? Number(burst.value) : burst.value;
      if (coolDown.value.trim()) now["cool-down"] = coolDown.value.trim();
      if (consistency.value !== "exact") now.consistency = consistency.value;
      if (sync.value.trim()) now["sync-every"] = sync.value.trim();
      if (posture.value !== "open") now["on-store-failure"] = posture.value;
      if (share.value.trim()) now["local-share"] = share.value.trim();
      if (rule.regions) now.regions = rule.regions;
      const others = overrides ? overrides.read() : rule.overrides;
      if (others.length) now.overrides = others;
      if (durable.input.checked) now.durable = true;
      if (shadow.input.checked) now.shadow = true;
      if (!enabled.input.checked) now.enabled = false;
      return now;
    },
    complain(problems) {
      for (const { input, said } of places.values()) {
        said.textContent = "";
        input?.setAttribute("aria-invalid", "false");
      }
      return problems.filter(problem => {
        const found = places.get(problem.field?.split(/[.[ ]/)[0]);
        if (!found) return true;
        found.said.textContent = problem.reason;
        found.input?.setAttribute("aria-invalid", "true");
        return false;
      });
    },
  };
}

/** Rows of names and values. */
function pairs(given, add, changed) {
  const rows = h("div", { class: "stack" });
  const row = (name, value) => {
    const element = h("div", { class: "row" },
      h("input", { class: "grow", value: name, list: "attributes", name: "attribute", "aria-label": "Attribute", placeholder: "endpoint", oninput: changed }),
      h("input", { class: "grow", value, name: "values", "aria-label": "Values it must have", placeholder: "GET /v1/orders/**", oninput: changed }),
      h("button", { type: "button", class: "slim bare", "aria-label": "Remove this condition", onclick: () => { element.remove(); changed(); } }, "✕"));
    return element;
  };
  rows.append(...Object.entries(given).map(([name, value]) => row(name, shown(value))));
  return {
    element: h("div", { class: "stack" }, rows, h("div", {}, h("button", { type: "button", class: "slim", onclick: () => { const next = row("", ""); rows.append(next); next.querySelector("input").focus(); } }, add))),
    read: () => Object.fromEntries([...rows.children].map(r => [...r.querySelectorAll("input")].map(i => i.value.trim())).filter(([name]) => name).map(([name, value]) => [name, one(value.includes(",") ? list(value) : [value])])),
  };
}

/** Rows of whom and how many. */
function exceptions(given, changed) {
  const rows = h("div", { class: "stack" });
  const row = (name, value, limit) => {
    const element = h("div", { class: "row" },
      h("input", { class: "grow", value: name, list: "attributes", name: "attribute", "aria-label": "Attribute", placeholder: "user", oninput: changed }),
      h("input", { class: "grow", value, name: "value", "aria-label": "Value", placeholder: "acme", oninput: changed }),
      h("input", { class: "grow", value: limit, name: "other", "aria-label": "Limit for these", placeholder: "6000/minute", oninput: changed }),
      h("button", { type: "button", class: "slim bare", "aria-label": "Remove this exception", onclick: () => { element.remove(); changed(); } }, "✕"));
    return element;
  };
  rows.append(...given.map(o => row(Object.keys(o.when)[0], shown(Object.values(o.when)[0]), shown(o.limit))));
  return {
    element: h("div", { class: "stack" }, rows, h("div", {}, h("button", { type: "button", class: "slim", onclick: () => rows.append(row("", "", "")) }, "Add an exception"))),
    read: () => [...rows.children].map(r => [...r.querySelectorAll("input")].map(i => i.value.trim())).filter(v => v.some(Boolean)).map(([name, value, limit]) => ({ when: { [name]: one(value.includes(",") ? list(value) : [value]) }, limit: one(list(limit)) })),
  };
}
