// Reads the data of the page: blocks of compressed JSON, each unpacked when something in it is looked at.

const OUTCOMES = ["fail", "stale", "error", "known", "not-verified", "not-scored", "pass"];
const JUDGED = ["pass", "fail", "known", "stale"];
const OUTCOME_WORDS = {
  fail: "failed", stale: "stale", error: "error", known: "known",
  "not-verified": "not verified", "not-scored": "not scored", pass: "passed",
};
const unpacking = new Map();

function unpacked(name) {
  if (!unpacking.has(name)) unpacking.set(name, unpack(document.getElementById(name).textContent));
  return unpacking.get(name);
}

async function unpack(block) {
  const bytes = Uint8Array.from(atob(JSON.parse(block)), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// The rows of the list, from the compact table that Python wrote.
async function readIndex() {
  const index = await unpacked("index");
  const rows = index.cases.map(([id, outcome, area, wire, profile, seconds, title, findings, block, page]) => ({
    id, seconds, block, page,
    outcome: index.outcomes[outcome], area: index.areas[area], wire: index.wires[wire],
    profile: index.profiles[profile], title: index.titles[title], findings: findings.map((n) => index.findings[n]),
  }));
  rows.sort((one, other) => OUTCOMES.indexOf(one.outcome) - OUTCOMES.indexOf(other.outcome));
  return { ...index, rows, byId: new Map(rows.map((row) => [row.id, row])) };
}

// What the text filter looks through.
function textOf(row) {
  return [row.id, row.title, ...row.findings.flatMap((finding) => [finding.id, finding.cause])].join("\n").toLowerCase();
}

async function caseOf(row) {
  const item = (await unpacked(`block-${row.block}`)).cases[row.id];
  return { findings: [], turns: [], ...item, block: row.block };
}

// A body is in the block of the case that had it first.
async function bodyOf(id, block) {
  return (await unpacked(`block-${report.elsewhere[id] ?? block}`)).bodies[id];
}
