// The application shell: sign-in, navigation, and the health banner.
import { h, replaceContent } from "./dom.js";
import { session, signIn } from "./api.js";
import { feed } from "./feed.js";
import { icon, notFound } from "./parts.js";
import { livePage } from "./live.js";
import { rulesPage } from "./rules.js";
import { callersPage } from "./callers.js";
import { keysPage } from "./keys.js";
import { nodesPage } from "./nodes.js";
import { labPage } from "./lab.js";

const PAGES = [
  ["live", "Live", livePage],
  ["rules", "Rules", rulesPage],
  ["callers", "Callers", callersPage],
  ["keys", "Keys", keysPage],
  ["nodes", "Nodes", nodesPage],
  ["lab", "Lab", labPage],
];
const root = document.getElementById("app");
let pageAbort = new AbortController();
let main;
let banner;
let nav;

const theme = {
  get: () => localStorage.getItem("weir-theme") ?? "auto",
  set(value) {
    localStorage.setItem("weir-theme", value);
    if (value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
  },
};
theme.set(theme.get());

function showSignIn() {
  const token = h("input", { type: "password", name: "token", required: true, autocomplete: "current-password", autofocus: true });
  const user = h("input", { name: "who", maxlength: 200, autocomplete: "username", value: session.user, placeholder: "admin" });
  const errorText = h("p", { class: "problem", role: "alert" });
  const submit = async event => {
    event.preventDefault();
    try {
      await signIn(token.value.trim(), user.value.trim());
      showShell();
    } catch (e) {
      errorText.textContent = e.status === 401 ? "Wrong admin token. If none is configured, the server prints one when it starts." : e.message;
      token.select();
    }
  };
  replaceContent(root, h("main", { class: "login" }, h("form", { onsubmit: submit },
    h("img", { src: "/dashboard/icon.svg", alt: "" }), h("h1", {}, "Weir"),
    h("p", { class: "muted" }, "Enter the admin token. It is kept in this tab until the tab is closed."),
    h("label", {}, "Admin token", token),
    h("label", {}, "Your name", user, h("span", { class: "hint" }, "for the change history")),
    errorText, h("button", { class: "primary", type: "submit" }, "Sign in"))));
  token.focus();
}

function showShell() {
  banner = h("div", {});
  main = h("main", { class: "main", id: "main", tabindex: -1 });
  nav = h("nav", { "aria-label": "Pages" });
  const state = h("div", { id: "state" });
  replaceContent(root, h("a", { class: "skip", href: "#main", onclick: e => { e.preventDefault(); main.focus(); } }, "Skip to the content"),
    h("div", { class: "shell" },
      h("aside", { class: "sidebar" }, h("a", { class: "brand", href: "#/live" }, h("img", { src: "/dashboard/icon.svg", alt: "" }), "Weir"), nav,
        h("div", { class: "sidebar-footer" }, state, h("div", { class: "row" }, sessionButtons()))),
      main));
  feed.addEventListener("state", () => {
    replaceContent(state, h("span", { class: feed.live ? "dot on" : "dot off" }), feed.live ? `${feed.node}, live` : "not connected");
    updateBanner();
  });
  feed.addEventListener("tick", updateBanner);
  feed.start();
  showPage();
}

/** Buttons of the browser session: theme and sign-out. */
function sessionButtons() {
  const nextTheme = () => {
    const themeNames = ["auto", "light", "dark"];
    theme.set(themeNames[(themeNames.indexOf(theme.get()) + 1) % 3]);
    themeButton.textContent = `Theme: ${theme.get()}`;
  };
  const themeButton = h("button", { type: "button", class: "compact borderless", onclick: nextTheme }, `Theme: ${theme.get()}`);
  return [themeButton, h("button", { type: "button", class: "compact borderless", onclick: () => session.end() }, "Sign out")];
}

/** Shows or hides the banner about store and rule problems. */
function updateBanner() {
  const { available, stale, degraded, reason } = feed.health;
  const texts = [];
  if (!available) texts.push(`The store is unavailable${reason ? ` (${reason})` : ""}: every rule uses its fallback until it is back.`);
  else if (Date.now() - degraded < 10000) texts.push("Some decisions use the fallback: the store did not reply in time.");
  if (stale > 0) texts.push(`The rules have not been updated from their source for ${Math.round(stale / 1000)} s; the last good rules are used.`);
  const text = texts.join(" ");
  if (banner.textContent !== text) replaceContent(banner, text && h("div", { class: available ? "banner" : "banner bad", role: "alert", id: "degraded" }, text));
}

function showPage() {
  pageAbort.abort();
  pageAbort = new AbortController();
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const [key, title, page] = PAGES.find(entry => entry[0] === (name || "live")) ?? ["", "Not found", () => notFound("there is no such page")];
  const item = decodeItem(rest.join("/"));
  document.title = `${item || title} – Weir`;
  replaceContent(nav, PAGES.map(([to, text]) => h("a", { href: `#/${to}`, "aria-current": to === key ? "page" : null }, icon(to), text)));
  replaceContent(main, banner, page(pageAbort.signal, item, new URLSearchParams(query ?? "")), h("div", { class: "mobile-footer" }, sessionButtons()));
  scrollTo(0, 0);
}

function decodeItem(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not a valid encoding, so it names nothing
  }
}

addEventListener("hashchange", () => session.token && main && showPage());
document.addEventListener("signed-out", () => {
  feed.stop();
  location.reload();
});
if (session.token) showShell();
else showSignIn();
