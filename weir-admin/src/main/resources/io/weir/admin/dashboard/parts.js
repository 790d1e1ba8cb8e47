// Components shared by several pages.
import { h, s, replaceContent, formatEnd } from "./dom.js";
import { request } from "./api.js";

const PATHS = {
  live: "M3 12h4l3-8 4 16 3-8h4",
  rules: "M4 6h16M4 12h16M4 18h10",
  callers: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 21c0-4 3.5-6 8-6s8 2 8 6",
  keys: "M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 12h9v3M17 12v3",
  nodes: "M5 5h14v6H5zM5 13h14v6H5zM8 8h.01M8 16h.01",
  lab: "M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8",
};
export const icon = name => s("svg", { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.9, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));

export const pageHeader = (title, lead, ...right) => h("header", { class: "page-header" }, h("h1", {}, title), h("div", { class: "right" }, right), lead && h("div", { class: "lead" }, h("p", {}, lead)));
export const panel = (title, right, ...content) => h("section", { class: "panel" }, h("div", { class: "top" }, h("h2", {}, title), h("div", { class: "right" }, right)), content);
export const emptyState = (title, ...text) => h("div", { class: "empty" }, h("b", {}, title), text);
export const loadingState = (text = "Loading…") => h("div", { class: "empty", role: "status" }, text);
export const errorBanner = e => h("div", { class: "banner bad", role: "alert" }, e.message);

export const visuallyHidden = text => h("span", { class: "visually-hidden" }, text);

/** A table; a column is a text or [text, class]. On narrow screens each row is a block that repeats the column names. */
export function table(columns, rows, caption) {
  const names = columns.map(column => (Array.isArray(column) ? column[0] : column));
  for (const row of rows) [...row.children].forEach((cell, i) => typeof names[i] === "string" && cell.setAttribute("data-column", names[i]));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, columns.map(c => (Array.isArray(c) ? c : [c])).map(([text, className]) => h("th", { class: className, scope: "col" }, text)))),
      h("tbody", {}, rows)));
}

/** A group of buttons of which one is selected. */
export function segmentedControl(label, choices, selected, onSelect) {
  const element = h("div", { class: "segments", role: "group", "aria-label": label });
  const render = current => replaceContent(element, choices.map(([value, text]) => h("button", { type: "button", "aria-pressed": String(value === current), onclick: () => { render(value); onSelect(value); } }, text)));
  render(selected);
  return element;
}

let toasts;
/** Shows a message for some seconds, with a button for an action if one is given. */
export function toast(text, actionLabel, onAction) {
  toasts ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  const element = h("div", { class: "toast" }, h("span", { class: "grow" }, text), actionLabel && h("button", { type: "button", onclick: () => { element.remove(); onAction(); } }, actionLabel));
  toasts.append(element);
  setTimeout(() => element.remove(), actionLabel ? 12000 : 5000);
}

/** Shows a modal dialog; it can also be closed with Escape. */
export function dialog(label, narrow, build) {
  const element = h("dialog", { class: narrow ? "compact" : "", "aria-label": label });
  element.append(h("div", { class: "inside" }, build(() => element.close())));
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  return element;
}

/** The page for a name that does not exist. */
export const notFound = (what, ...more) => [
  pageHeader("Not found", h("a", { href: "#/live" }, "← Live")),
  h("section", { class: "panel" }, emptyState(`404: ${what}`, more)),
];

/** Asks for confirmation before an action with consequences. */
export function confirmDialog(question, text, confirmLabel, action) {
  dialog(question, true, close => [
    h("h2", {}, question), h("p", { class: "muted" }, text),
    h("div", { class: "row end" }, h("button", { type: "button", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "danger", onclick: () => { close(); action(); } }, confirmLabel)),
  ]);
}

/** Wraps an action so that a failure is shown as a toast. */
export const withErrorToast = action => (...args) => Promise.resolve(action(...args)).catch(e => toast(e.message));

export const callerText = caller => Object.entries(caller).map(([name, value]) => `${name} ${value}`).join(", ") || "all callers";
export const callerLink = caller => (Object.keys(caller).length ? h("a", { class: "name", href: `#/callers?${new URLSearchParams(caller)}` }, callerText(caller)) : h("span", { class: "muted" }, "all callers"));

/** Returns when a temporary ban ends, in milliseconds; null for other rules. A ban is a rule whose name ends with that second. */
export const banEnd = id => {
  const end = /^refuse-[0-9a-f]{16}-(\d{1,12})$/.exec(id);
  return end && 1000 * Number(end[1]);
};
export const ruleName = id => (banEnd(id) ? `Ban until ${formatEnd(banEnd(id))}` : id);
export const ruleLink = id => h("a", { class: "name", href: `#/rules/${encodeURIComponent(id)}` }, ruleName(id));

export async function liftBan(caller, onDone) {
  await request("DELETE", `/admin/refusals?${new URLSearchParams(caller)}`);
  toast(`${callerText(caller)} is no longer banned`);
  onDone();
}
