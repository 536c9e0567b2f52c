// One case in full: findings with their evidence, commands, the conversation, the changes.

async function caseView(row, neighbours) {
  const item = await caseOf(row);
  const title = el("h2", { id: "case-title", tabindex: "-1" }, el("span", { class: `badge ${row.outcome}` }, OUTCOME_WORDS[row.outcome]), " ", row.id);
  const about = definitions([["about", row.title], ["reason", item.reason], ["missing", (item.missing || []).join(", ")], ["profile", row.profile], ["scenario", item.file],
    ["sources", (item.sources || []).map((address) => el("div", {}, source(address)))], ["other hosts", (item.foreign_hosts || []).join(", ")],
    ["other runs", report.beside.slice(0, -1).map((run) => el("div", {}, `${run.agent}, ${run.started || "at an unknown time"}: ${run.cases[row.id] ? OUTCOME_WORDS[run.cases[row.id][1]] : "not there"}`))],
    ["stale", item.stale && `in the baseline, and did not occur: ${item.stale.join(", ")}. Delete the entry, or run with --agent-baseline-update.`], ["took", `${row.seconds.toFixed(2)} s`]]);
  return [neighbours, title, about, item.findings.map((finding, number) => findingView(item, { ...finding, since: sinceOf(row, finding) }, number, promptOf(row, finding))),
    section("Fixed since the earlier run", row.findings.filter((finding) => finding.since === "fixed").map(({ id }) => el("p", {}, `#${id}: `, beforeOf(row, id)))),
    section("Repeat", item.rerun && command(item.rerun), item.trace && folded("traceback", () => el("pre", {}, item.trace))),
    item.snapshot && item.snapshot.diff && section("Changes against the snapshot", diff(item.snapshot.diff)),
    section("Conversation", item.left_out && el("p", { class: "note" }, `The bodies of ${counted(item.left_out, "request")} are left out.`), conversation(item)),
    section("Why, and how to fix it", [...new Map(item.findings.map((finding) => [aboutOf(row, finding), finding.state])).entries()].map(evidence)), scenarioText(item)];
}

// What the scenario says, beside what was found: open where something was.
function scenarioText(item) {
  const said = report.scenarios[item.scenario];
  return said && section("Scenario", folded(item.file, () => el("pre", { tabindex: "0", class: "scenario" }, said), item.findings.some(({ state }) => state === "new")));
}

// What the list of cases has of a finding.
function listedOf(row, finding) {
  return row.findings.find(({ id, state }) => id === finding.id && state === finding.state) || {};
}

function aboutOf(row, finding) {
  return report.evidence.about[listedOf(row, finding).explained_by || finding.id];
}

// What became of a finding since the earlier run.
function sinceOf(row, finding) {
  const { since } = listedOf(row, finding);
  return since === "changed" ? `changed, before: ${beforeOf(row, finding.id)}` : since;
}

function beforeOf(row, id) {
  return report.earlier.before[`${row.id}#${id}`];
}

function section(title, ...content) {
  const there = nodes(content);
  return there.length ? el("section", {}, el("h3", {}, title), there) : null;
}

// What a coding agent needs to fix the cause: the same as in the folder fix/.
function promptOf(row, finding) {
  return (report.prompts || {})[listedOf(row, finding).cause];
}

function findingView(item, finding, number, prompt) {
  const known = finding.known && el("p", { class: "note" }, `In the baseline: ${finding.known}`);
  const placed = finding.place && item.turns.some((turn) => turn.number === finding.place.turn);
  const jump = placed && el("button", { type: "button", onclick: () => focusOn(document.getElementById(`wrong-${number}`)) }, "Show the place");
  return el("article", { class: `finding ${finding.state}`, "aria-label": `Finding ${finding.id}` },
    el("h3", {}, `#${finding.id} `, el("span", { class: `badge ${finding.state}` }, finding.state), " ", el("span", { class: "badge" }, finding.level)),
    definitions(factsOf(finding)), known, jump, finding.trace && folded("traceback of the agent", () => el("pre", {}, finding.trace)),
    prompt && folded("For a coding agent: copy as a prompt", () => command(prompt, "Copy as a prompt")));
}

// In the order of the terminal.
function factsOf(finding) {
  const facts = (finding.facts || []).map(([label, text]) => [label, factView(label, text)]);
  return [...facts, ["also", (finding.consequences || []).join("; ")],
    ["not checked", (finding.not_checked || []).join(", ")], ["where", codePlace(finding)], ["since", finding.since], ["cut", finding.cut]];
}

// The line of the agent that raised: in its repository, or in the editor of who has the page beside the code.
function codePlace(finding) {
  const place = finding.origin && (finding.origin.called_from || finding.origin);
  const file = place && report.code[place.file];
  const link = (href) => el("a", { href, rel: "noreferrer noopener", target: "_blank" }, finding.file_line);
  if (!file) return finding.file_line;
  if (/^https?:/.test(file)) return link(`${file}#L${place.line}`);
  return location.protocol === "file:" ? link(`vscode://file${new URL(file, location.href).pathname}:${place.line}`) : finding.file_line;
}

function factView(label, text) {
  if (["diff", "stderr"].includes(label)) return diff(text);
  return el("span", { dir: "auto", class: "text" }, text);
}

// What the suite knows of the rule, the law or the expectation.
function evidence([about, state]) {
  const known = report.evidence.explanations[about];
  return known && folded(about, () => evidenceView(known), state === "new");
}

function evidenceView({ title, demands, why, facts, evidence, seen, fixes, reference, example }) {
  return [el("p", {}, text(title)),
    definitions([["demanded", text(demands)], ["because", text(why)], ...Object.entries(facts || {}).map(([label, fact]) => [label, text(fact)]),
      ["evidence", (evidence || []).map(sourceView)], ["otherwise", (seen || []).map(line)], ["typical fixes", (fixes || []).map(line)]]),
    example && folded("A request that is refused, and what makes it accepted", () => [laidOut(example.refused), el("p", {}, text(example.change)), laidOut(example.accepted)]),
    (reference || []).map((place) => folded(`The reference agent: ${place.symbol}`, () => [
      el("p", {}, text(place.says), ` ${place.file}:${place.first}`), el("pre", { tabindex: "0" }, place.code)]))];
}

// A text of ours, in which backticks mark code.
function text(words) {
  return words && el("span", { class: "text" }, withCode(words));
}

function line(words) {
  return el("div", { class: "text" }, withCode(words));
}

function withCode(words) {
  return words.split(/`([^`\n]+)`/).map((part, place) => (place % 2 ? el("code", {}, part) : part));
}

function sourceView({ source: address, quote, says }) {
  return el("div", {}, source(address), quote && [" ", el("q", { class: "text" }, quote)], says && el("div", { class: "note" }, says));
}

function diff(text) {
  const kind = (line) => ({ "+": "added", "-": "removed", "@": "hunk" })[line[0]] || "same";
  return el("pre", { class: "diff", tabindex: "0" }, text.split("\n").map((line) => el("span", { class: kind(line) }, `${line}\n`)));
}

function focusOn(element) {
  if (!element) return;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
}
