// API keys page: create, show once, revoke.
import { h, replaceContent, formatDateTime } from "./dom.js";
import { request, get } from "./api.js";
import { pageHeader, panel, emptyState, table, errorBanner, loadingState, toast, withErrorToast, confirmDialog, callerLink, visuallyHidden } from "./parts.js";

async function copy(element) {
  getSelection().selectAllChildren(element);
  if (!navigator.clipboard) return toast("Selected; press Ctrl-C"); // the clipboard API needs TLS
  await navigator.clipboard.writeText(element.textContent);
  toast("Copied");
}

export function keysPage(signal) {
  const rows = h("div", {}, loadingState());
  const created = h("div", { "aria-live": "polite" });
  const user = h("input", { name: "user", required: true, maxlength: 200, autocomplete: "off" });
  const tier = h("input", { name: "tier", maxlength: 200, autocomplete: "off", placeholder: "none" });

  async function load() {
    const { keys } = await get("/admin/keys", { signal });
    replaceContent(rows, keys.length
      ? table(["Key", "User", ["Tier", "wide-only"], ["Created", "wide-only"], visuallyHidden("Actions")], keys.slice().reverse().map(key => h("tr", {},
        h("td", { class: "mono" }, key.id), h("td", {}, callerLink({ user: key.user })), h("td", { class: "wide-only" }, key.tier || h("span", { class: "muted" }, "none")),
        h("td", { class: "wide-only muted" }, `${formatDateTime(key.created)} by ${key.who}`),
        h("td", { class: "fit" }, key.revoked ? h("span", { class: "tag bad", title: formatDateTime(key.revoked) }, "revoked")
          : h("button", { type: "button", class: "compact danger", onclick: () => confirmDialog(`Revoke ${key.id}?`, "Requests with this key are no longer identified. This cannot be undone.", "Revoke", withErrorToast(() => revoke(key.id))) }, "Revoke")))), "API keys")
      : emptyState("There are no keys yet", "Create a key and give its secret to the caller."));
  }

  async function revoke(id) {
    await request("DELETE", `/admin/keys/${encodeURIComponent(id)}`);
    toast(`Revoked ${id}`);
    await load();
  }

  async function create(event) {
    event.preventDefault();
    const { content } = await request("POST", "/admin/keys", { body: JSON.stringify(tier.value ? { user: user.value, tier: tier.value } : { user: user.value }) });
    event.target.reset();
    const secret = h("code", { class: "grow" }, content.secret);
    replaceContent(created, h("div", { class: "stack" }, h("p", {}, h("b", {}, "The secret is shown only once."), " Only a digest of it is stored."),
      h("div", { class: "secret" }, secret,
        h("button", { type: "button", class: "compact", onclick: withErrorToast(() => copy(secret)) }, "Copy"),
        h("button", { type: "button", class: "compact", onclick: () => replaceContent(created) }, "Done"))));
    await load();
  }
  queueMicrotask(() => load().catch(e => { if (e.name !== "AbortError") replaceContent(rows, e.status === 409 ? emptyState("Keys are unavailable", e.message) : errorBanner(e)); }));
  return [
    pageHeader("Keys", "An API key identifies a caller. New and revoked keys take effect on every node within two seconds."),
    panel("Create a key", null, h("form", { class: "stack", onsubmit: withErrorToast(create) },
      h("div", { class: "fields" }, h("label", {}, "User", user), h("label", {}, "Tier", tier)), h("div", { class: "row end" }, h("button", { class: "primary", type: "submit" }, "Create key"))), created),
    panel("Keys", null, rows),
  ];
}
