// Elements without markup: a text can only ever become text.
const SVG = "http://www.w3.org/2000/svg";

const nodes = children => children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false);

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...nodes(children));
  return element;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

// What the pointer is down on, and what shall be replaced when it is let go: a click counts only on what is still there.
let pressed = null;
const later = new Map();
addEventListener("pointerdown", e => { pressed = e.target; }, true);
addEventListener("click", () => { pressed = null; }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(letGo), true);

function letGo() {
  pressed = null;
  for (const [element, children] of later) replace(element, children);
  later.clear();
}

/** The focus stays on what says the same. */
function replace(element, children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...children);
  if (focused && !focused.isConnected) [...element.querySelectorAll(focused.tagName)].find(e => e.textContent === focused.textContent)?.focus({ preventScroll: true });
}

/** Replaces what is in an element, as soon as nobody presses on it. */
export function put(element, ...children) {
  const all = nodes(children);
  later.delete(element);
  if (pressed !== element && element.contains(pressed)) later.set(element, all);
  else replace(element, all);
  return element;
}

const plain = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const number = n => (n < 10000 ? plain.format(n) : short.format(n));
export const exact = n => plain.format(n);
export const rate = n => (n === 0 ? "0" : n < 10 ? n.toFixed(1) : number(Math.round(n)));

/** A length of time as people say it. */
export function lasts(ms) {
  const s = ms / 1000;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}
export const micros = us => (us < 1000 ? `${us} µs` : `${(us / 1000).toFixed(us < 10000 ? 1 : 0)} ms`);
export const clock = ms => new Date(ms).toLocaleTimeString("en-GB");
export const moment = iso => new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** Calls once things have been quiet for a while. */
export function settled(ms, act) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), ms);
  };
}
