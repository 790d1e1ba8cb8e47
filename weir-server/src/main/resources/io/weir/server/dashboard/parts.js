// What several pages are made of.
import { h, s, put } from "./dom.js";

const PATHS = {
  live: "M3 12h4l3-8 4 16 3-8h4",
  rules: "M4 6h16M4 12h16M4 18h10",
  callers: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 21c0-4 3.5-6 8-6s8 2 8 6",
  keys: "M8 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 12h9v3M17 12v3",
  nodes: "M5 5h14v6H5zM5 13h14v6H5zM8 8h.01M8 16h.01",
  lab: "M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8",
};
export const icon = name => s("svg", { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.9, "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" }, s("path", { d: PATHS[name] }));

export const head = (title, lead, ...right) => h("header", { class: "head" }, h("h1", {}, title), h("div", { class: "right" }, right), lead && h("div", { class: "lead" }, h("p", {}, lead)));
export const sheet = (title, right, ...content) => h("section", { class: "sheet" }, h("div", { class: "top" }, h("h2", {}, title), h("div", { class: "right" }, right)), content);
export const empty = (title, ...text) => h("div", { class: "empty" }, h("b", {}, title), text);
export const waiting = (what = "Loading…") => h("div", { class: "empty", role: "status" }, what);
export const failed = e => h("div", { class: "banner bad", role: "alert" }, e.message);

export const hiddenText = text => h("span", { class: "hidden" }, text);

/** A table; columns are texts, or [text, class]. */
export function table(columns, rows, caption) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, columns.map(c => (Array.isArray(c) ? c : [c])).map(([text, kind]) => h("th", { class: kind, scope: "col" }, text)))),
      h("tbody", {}, rows)));
}

/** A few choices of which one is made. */
export function segments(label, choices, chosen, choose) {
  const element = h("div", { class: "segments", role: "group", "aria-label": label });
  const paint = now => put(element, choices.map(([value, text]) => h("button", { type: "button", "aria-pressed": String(value === now), onclick: () => { paint(value); choose(value); } }, text)));
  paint(chosen);
  return element;
}

let toasts;
/** Says something in passing; `undo` is offered with it if given. */
export function toast(text, action, act) {
  toasts ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  const one = h("div", { class: "toast" }, h("span", { class: "grow" }, text), action && h("button", { type: "button", onclick: () => { one.remove(); act(); } }, action));
  toasts.append(one);
  setTimeout(() => one.remove(), action ? 12000 : 5000);
}

/** Shows something over the page until it is done with; closing it by Escape counts. */
export function dialog(label, slim, build) {
  const element = h("dialog", { class: slim ? "slim" : "", "aria-label": label });
  element.append(h("div", { class: "inside" }, build(() => element.close())));
  element.addEventListener("close", () => element.remove());
  document.body.append(element);
  element.showModal();
  return element;
}

/** Asks before something that cannot be taken back. */
export function sure(question, text, yes, act) {
  dialog(question, true, close => [
    h("h2", {}, question), h("p", { class: "quiet" }, text),
    h("div", { class: "row end" }, h("button", { type: "button", onclick: close }, "Cancel"),
      h("button", { type: "button", class: "danger", onclick: () => { close(); act(); } }, yes)),
  ]);
}

/** Does something, and says so if it fails. */
export const trying = act => (...args) => Promise.resolve(act(...args)).catch(e => toast(e.message));

export const callerText = caller => Object.entries(caller).map(([name, value]) => `${name} ${value}`).join(", ") || "everyone together";
export const callerLink = caller => (Object.keys(caller).length ? h("a", { class: "name", href: `#/callers?${new URLSearchParams(caller)}` }, callerText(caller)) : h("span", { class: "quiet" }, "everyone together"));
export const ruleLink = id => h("a", { class: "name", href: `#/rules/${encodeURIComponent(id)}` }, id);
