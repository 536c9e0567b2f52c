// A request or a response as it was sent, as JSON in which the wrong place is marked, and as a command that repeats it.

// Longer JSON is shown as it was sent: to lay it out would take longer than a glance.
const LAID_OUT = 2_000_000;
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
const SENT_BY_CURL = ["host", "content-length", "connection", "accept-encoding", "user-agent", "transfer-encoding"];
const PORT = 8080;

function bodyView(body, path) {
  const line = [body.method, body.path, body.status && `status ${body.status}`].filter(Boolean).join(" ");
  const headers = (body.headers || []).map(([name, value]) => `${name}: ${value}`).join("\n");
  const cut = body.cut && el("p", { class: "note" }, `${counted(body.cut, "character")} at the end are left out.`);
  return [el("p", {}, el("code", {}, line)), headers && folded("headers", () => el("pre", {}, headers)), laidOut(body.text || "", path), cut];
}

function laidOut(text, path) {
  let value;
  try {
    value = text.length > LAID_OUT ? undefined : JSON.parse(text);
  } catch {
    value = undefined; // a stream, or what the agent sent is no JSON
  }
  if (value === undefined) return el("pre", { tabindex: "0" }, text);
  const steps = stepsTo(value, path);
  const pre = el("pre", { tabindex: "0" }, path === undefined || path === "" ? jsonText(value, "") : jsonNodes(value, steps, ""));
  return [pre, folded("as it was sent", () => el("pre", {}, text))];
}

// The keys that lead to a place such as `messages[1].content`, as far as they are there.
function stepsTo(value, path) {
  const steps = [];
  for (const step of String(path || "").match(/[^.[\]$]+/g) || []) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, step)) break;
    steps.push(step);
    value = value[step];
  }
  return steps;
}

function jsonText(value, indent) {
  return JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
}

function jsonNodes(value, steps, indent) {
  if (!steps.length) return el("mark", {}, jsonText(value, indent));
  const [step, ...rest] = steps;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const members = Object.keys(value).map((key, place) => [
    `${place ? "," : ""}\n${inner}${Array.isArray(value) ? "" : `${JSON.stringify(key)}: `}`,
    key === step ? jsonNodes(value[key], rest, inner) : jsonText(value[key], inner),
  ]);
  return [open, members, `\n${indent}${close}`].flat(8);
}

// A text that people copy: it stands in one piece, and a button takes it along.
function command(text, words = "Copy") {
  const pre = el("pre", { class: "command", tabindex: "0" }, text);
  const button = el("button", { type: "button", class: "copy" }, words);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected";
    }
  });
  return el("div", { class: "copied" }, pre, button);
}

function repeatCommands(item, request, body) {
  if (body.cut) return el("p", { class: "note" }, "The request is too long to be repeated from here: its end is left out.");
  const provider = request.provider || item.provider;
  const wire = request.wire || item.wire;
  const facts = report.providers[provider] || {};
  const parts = [el("p", {}, "Against the fake, with this in another terminal:"), command(`agent-conformance serve --provider ${quoted(provider)} --wire ${quoted(wire)} --port ${PORT}`),
    command(curl(`http://127.0.0.1:${PORT}`, body, "test"))];
  if (facts.base) parts.push(el("p", {}, `Against ${facts.title} itself. It costs what the provider takes for it.`), command(curl(facts.base, body, facts.key ? `$${facts.key}` : "test")));
  return parts;
}

// A JSON body is written with escapes for all that does not print: the same request, and nothing hidden in it.
function curl(base, body, key) {
  const headers = (body.headers || []).filter(([name]) => !SENT_BY_CURL.includes(name.toLowerCase()));
  const lines = headers.map(([name, value]) => KEY_HEADERS.includes(name.toLowerCase())
    ? `-H "${name}: ${/^bearer /i.test(value) ? "Bearer " : ""}${key}"` : `-H ${quoted(`${name}: ${value}`)}`);
  const address = base.startsWith("$") ? `"${base}"${quoted(body.path)}` : quoted(`${base}${body.path}`);
  const data = body.text ? [`--data-raw ${quoted(visible(body.text))}`] : [];
  return [`curl -i -X ${quoted(body.method || "POST")} ${address}`, ...lines, ...data].join(" \\\n  ");
}

function quoted(text) {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
