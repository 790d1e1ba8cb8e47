// Creates DOM elements without parsing markup: text always stays text. `h` creates HTML elements, `s` SVG elements.
const SVG = "http://www.w3.org/2000/svg";

const flattenChildren = children => children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== false);

function applyProps(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...flattenChildren(children));
  return element;
}

export const h = (tag, props, ...children) => applyProps(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => applyProps(document.createElementNS(SVG, tag), props, children);

// While the pointer is pressed on an element, its replacement is deferred until release: the browser sends a click only if
// the element is still in the document.
let pressedElement = null;
const deferred = new Map();
addEventListener("pointerdown", e => { pressedElement = e.target; }, true);
addEventListener("click", () => { pressedElement = null; }, true);
for (const eventName of ["pointerup", "pointercancel"]) addEventListener(eventName, () => setTimeout(applyDeferred), true);

function applyDeferred() {
  pressedElement = null;
  for (const [element, children] of deferred) replaceKeepingFocus(element, children);
  deferred.clear();
}

/** Replaces the children; the focus moves to the new element with the same tag and text. */
function replaceKeepingFocus(element, children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  element.replaceChildren(...children);
  if (focused && !focused.isConnected) [...element.querySelectorAll(focused.tagName)].find(e => e.textContent === focused.textContent)?.focus({ preventScroll: true });
}

/** Replaces the children of an element, or defers that while the pointer is pressed on one of them. */
export function replaceContent(element, ...children) {
  const all = flattenChildren(children);
  deferred.delete(element);
  if (pressedElement !== element && element.contains(pressedElement)) deferred.set(element, all);
  else replaceKeepingFocus(element, all);
  return element;
}

const fullFormat = new Intl.NumberFormat("en");
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
export const formatNumber = n => (n < 10000 ? fullFormat.format(n) : compactFormat.format(n));
export const formatExact = n => fullFormat.format(n);
export const formatRate = n => (n === 0 ? "0" : n < 10 ? n.toFixed(1) : formatNumber(Math.round(n)));

/** Formats a duration in milliseconds. */
export function formatDuration(ms) {
  const s = ms / 1000;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}
export const formatMicros = us => (us < 1000 ? `${us} µs` : `${(us / 1000).toFixed(us < 10000 ? 1 : 0)} ms`);
export const formatTime = ms => new Date(ms).toLocaleTimeString("en-GB");
export const formatDateTime = iso => new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
/** Formats a moment soon: the time of day, with the date if it is more than 12 hours away. */
export const formatEnd = ms => (ms - Date.now() < 12 * 3600 * 1000 ? new Date(ms).toLocaleTimeString("en-GB", { timeStyle: "short" }) : formatDateTime(ms));

/** Returns a function that calls the action after it was not called for some time. */
export function debounce(ms, action) {
  let timer;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), ms);
  };
}
