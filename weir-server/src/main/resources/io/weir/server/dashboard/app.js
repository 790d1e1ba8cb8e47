// The shell: who is signed in, which page is open, and whether the node is well.
import { h, put } from "./dom.js";
import { session, signedIn } from "./api.js";
import { feed } from "./feed.js";
import { icon } from "./parts.js";
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
const app = document.getElementById("app");
let leaving = new AbortController();
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

function signIn() {
  const token = h("input", { type: "password", name: "token", required: true, autocomplete: "current-password", autofocus: true });
  const who = h("input", { name: "who", maxlength: 200, autocomplete: "username", value: session.who, placeholder: "admin" });
  const said = h("p", { class: "problem", role: "alert" });
  const go = async event => {
    event.preventDefault();
    try {
      await signedIn(token.value.trim(), who.value.trim());
      enter();
    } catch (e) {
      said.textContent = e.status === 401 ? "That is not the admin token. If none was set, the server printed one at its start." : e.message;
      token.select();
    }
  };
  put(app, h("main", { class: "login" }, h("form", { onsubmit: go },
    h("img", { src: "/dashboard/icon.svg", alt: "" }), h("h1", {}, "Weir"),
    h("p", { class: "quiet" }, "Show the admin token. It stays in this tab and is forgotten with it."),
    h("label", {}, "Admin token", token),
    h("label", {}, "Your name", who, h("span", { class: "hint" }, "for the history of changes")),
    said, h("button", { class: "first", type: "submit" }, "Sign in"))));
  token.focus();
}

function enter() {
  banner = h("div", {});
  main = h("main", { class: "main", id: "main", tabindex: -1 });
  nav = h("nav", { "aria-label": "Pages" });
  const state = h("div", { id: "state" });
  put(app, h("a", { class: "skip", href: "#main", onclick: e => { e.preventDefault(); main.focus(); } }, "Skip to the content"),
    h("div", { class: "shell" },
      h("aside", { class: "side" }, h("a", { class: "brand", href: "#/live" }, h("img", { src: "/dashboard/icon.svg", alt: "" }), "Weir"), nav,
        h("div", { class: "foot" }, state, h("div", { class: "row" }, ofSession()))),
      main));
  feed.addEventListener("state", () => {
    put(state, h("span", { class: feed.live ? "dot on" : "dot off" }), feed.live ? `${feed.node}, live` : "not connected");
    warn();
  });
  feed.addEventListener("tick", warn);
  feed.start();
  open();
}

/** What is about the one who looks, and not about the node. */
function ofSession() {
  const next = () => {
    const all = ["auto", "light", "dark"];
    theme.set(all[(all.indexOf(theme.get()) + 1) % 3]);
    themes.textContent = `Theme: ${theme.get()}`;
  };
  const themes = h("button", { type: "button", class: "slim bare", onclick: next }, `Theme: ${theme.get()}`);
  return [themes, h("button", { type: "button", class: "slim bare", onclick: () => session.end() }, "Sign out")];
}

/** What everybody must know whatever page they look at. */
function warn() {
  const { available, stale, degraded, reason } = feed.health;
  const texts = [];
  if (!available) texts.push(`The store does not answer${reason ? ` (${reason})` : ""}: every rule answers by its posture until it does.`);
  else if (Date.now() - degraded < 10000) texts.push("Some decisions are answered by posture: the store did not answer in time.");
  if (stale > 0) texts.push(`The rules have been out of step with their home for ${Math.round(stale / 1000)} s; the last good ones serve.`);
  const text = texts.join(" ");
  if (banner.textContent !== text) put(banner, text && h("div", { class: available ? "banner" : "banner bad", role: "alert", id: "degraded" }, text));
}

function open() {
  leaving.abort();
  leaving = new AbortController();
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  const [key, title, page] = PAGES.find(one => one[0] === name) ?? PAGES[0];
  const inner = decodeURIComponent(rest.join("/"));
  document.title = `${inner || title} – Weir`;
  put(nav, PAGES.map(([to, text]) => h("a", { href: `#/${to}`, "aria-current": to === key ? "page" : null }, icon(to), text)));
  put(main, banner, page(leaving.signal, inner, new URLSearchParams(query ?? "")), h("div", { class: "phonefoot" }, ofSession()));
  scrollTo(0, 0);
}

addEventListener("hashchange", () => session.token && main && open());
document.addEventListener("signed-out", () => {
  feed.stop();
  location.reload();
});
if (session.token) enter();
else signIn();
