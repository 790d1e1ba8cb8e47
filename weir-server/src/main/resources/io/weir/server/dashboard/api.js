// The admin API, and the token it asks for: kept for this tab only, sent as a header, never in a URL.
const TOKEN = "weir-token";
const WHO = "weir-who";

export const session = {
  get token() { return sessionStorage.getItem(TOKEN); },
  get who() { return sessionStorage.getItem(WHO) ?? ""; },
  begin(token, who) {
    sessionStorage.setItem(TOKEN, token);
    sessionStorage.setItem(WHO, who);
  },
  end() {
    sessionStorage.removeItem(TOKEN);
    document.dispatchEvent(new CustomEvent("signed-out"));
  },
};

/** What the API refused, and what it said to do instead. */
export class Refused extends Error {
  constructor(status, body) {
    super(body?.message ?? (status === 0 ? "this node cannot be reached" : `the node answered ${status}`));
    this.status = status;
    this.body = body ?? {};
  }
}

function headers(more) {
  const all = { Authorization: `Bearer ${session.token}`, ...more };
  if (session.who) all["X-Weir-User"] = session.who;
  return all;
}

/** Begins a session if the token is the right one. */
export async function signedIn(token, who) {
  const answer = await fetch("/admin/rules?count=0", { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" }).catch(() => { throw new Refused(0); });
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => undefined));
  session.begin(token, who);
}

/** Asks; the answer's JSON (or text), with its revision as `tag`. */
export async function ask(method, path, { body, type = "application/json", accept, match, signal } = {}) {
  const more = {};
  if (body !== undefined) more["Content-Type"] = type;
  if (accept) more.Accept = accept;
  if (match !== undefined) more[match === "new" ? "If-None-Match" : "If-Match"] = match === "new" ? "*" : match;
  let answer;
  try {
    answer = await fetch(path, { method, headers: headers(more), body, signal, cache: "no-store" });
  } catch (e) {
    if (e.name === "AbortError") throw e;
    throw new Refused(0);
  }
  const json = answer.headers.get("Content-Type")?.startsWith("application/json");
  const content = json ? await answer.json().catch(() => ({})) : await answer.text();
  if (answer.status === 401) session.end();
  if (!answer.ok) throw new Refused(answer.status, json ? content : undefined);
  return { content, tag: answer.headers.get("ETag"), status: answer.status };
}
export const get = async (path, options) => (await ask("GET", path, options)).content;

/** Listens to news until the signal ends it; `heard(type, data)` for each, `state(live)` as it goes. */
export async function listen(heard, state, signal) {
  for (let pause = 500; !signal.aborted; pause = Math.min(8000, pause * 2)) {
    try {
      const answer = await fetch("/admin/events", { headers: headers({ Accept: "text/event-stream" }), signal, cache: "no-store" });
      if (answer.status === 401) return session.end();
      if (answer.ok) {
        state(true);
        pause = 500;
        await read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), heard);
      }
    } catch (e) {
      if (signal.aborted) return;
    }
    state(false);
    await new Promise(r => setTimeout(r, pause));
  }
}

async function read(reader, heard) {
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      let type = "";
      let data = "";
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) type = line.slice(7);
        else if (line.startsWith("data: ")) data += line.slice(6);
      }
      if (type) heard(type, JSON.parse(data));
    }
  }
}
