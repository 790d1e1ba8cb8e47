// API keys: made, shown once, revoked.
import { h, put, moment } from "./dom.js";
import { ask, get } from "./api.js";
import { head, sheet, empty, table, failed, waiting, toast, trying, sure, callerLink, hiddenText } from "./parts.js";

async function copy(element) {
  getSelection().selectAllChildren(element);
  if (!navigator.clipboard) return toast("Selected; press Ctrl-C"); // a page without TLS may not copy
  await navigator.clipboard.writeText(element.textContent);
  toast("Copied");
}

export function keysPage(signal) {
  const rows = h("div", {}, waiting());
  const made = h("div", { "aria-live": "polite" });
  const user = h("input", { name: "user", required: true, maxlength: 200, autocomplete: "off" });
  const tier = h("input", { name: "tier", maxlength: 200, autocomplete: "off", placeholder: "none" });

  async function look() {
    const { keys } = await get("/admin/keys", { signal });
    put(rows, keys.length
      ? table(["Key", "User", ["Tier", "wideonly"], ["Made", "wideonly"], hiddenText("What to do")], keys.slice().reverse().map(key => h("tr", {},
        h("td", { class: "mono" }, key.id), h("td", {}, callerLink({ user: key.user })), h("td", { class: "wideonly" }, key.tier || h("span", { class: "quiet" }, "none")),
        h("td", { class: "wideonly quiet" }, `${moment(key.created)} by ${key.who}`),
        h("td", { class: "fit" }, key.revoked ? h("span", { class: "tag bad", title: moment(key.revoked) }, "revoked")
          : h("button", { type: "button", class: "slim danger", onclick: () => sure(`Revoke ${key.id}?`, "Whoever uses it is a stranger from now on. This cannot be taken back.", "Revoke", trying(() => revoke(key.id))) }, "Revoke")))), "API keys")
      : empty("There are no keys yet", "Make one, and give its secret to whom it is for."));
  }

  async function revoke(id) {
    await ask("DELETE", `/admin/keys/${encodeURIComponent(id)}`);
    toast(`Revoked ${id}`);
    await look();
  }

  async function make(event) {
    event.preventDefault();
    const { content } = await ask("POST", "/admin/keys", { body: JSON.stringify(tier.value ? { user: user.value, tier: tier.value } : { user: user.value }) });
    event.target.reset();
    const secret = h("code", { class: "grow" }, content.secret);
    put(made, h("div", { class: "stack" }, h("p", {}, h("b", {}, "The secret is shown this once."), " Only a digest of it is kept."),
      h("div", { class: "secret" }, secret,
        h("button", { type: "button", class: "slim", onclick: trying(() => copy(secret)) }, "Copy"),
        h("button", { type: "button", class: "slim", onclick: () => put(made) }, "Done"))));
    await look();
  }
  queueMicrotask(() => look().catch(e => { if (e.name !== "AbortError") put(rows, e.status === 409 ? empty("No keys here", e.message) : failed(e)); }));
  return [
    head("Keys", "A key says who calls. It is good on every node within two seconds, and so is its end."),
    sheet("Make a key", null, h("form", { class: "stack", onsubmit: trying(make) },
      h("div", { class: "fields" }, h("label", {}, "User", user), h("label", {}, "Tier", tier)), h("div", { class: "row end" }, h("button", { class: "first", type: "submit" }, "Make key"))), made),
    sheet("Keys", null, rows),
  ];
}
