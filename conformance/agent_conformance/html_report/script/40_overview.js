// What stands above the list: the verdicts in numbers, the causes, and the areas by wire. All of it are links into the list.

const SHOWN_CAUSES = 12;
const SHOWN_IN_HISTORY = 40;
const SLOWEST = 10;

function tiles(rows) {
  const counts = countsOf(rows, "outcome");
  const tile = (outcome) => el("li", { class: `tile ${outcome}` },
    el("a", { href: fragmentOf({ outcome }) }, el("b", {}, counts.get(outcome).toLocaleString("en")), " ", OUTCOME_WORDS[outcome]));
  return el("ul", { class: "tiles", "aria-label": "Verdicts" }, OUTCOMES.filter((outcome) => counts.has(outcome)).map(tile));
}

function causes(rows) {
  const found = new Map();
  for (const row of rows) {
    for (const finding of row.findings) {
      const key = `${finding.state}\n${finding.cause}`;
      if (!found.has(key)) found.set(key, { finding, rows: new Set() });
      found.get(key).rows.add(row);
    }
  }
  const order = ["new", "stale", "known", "advice", "later", "fixed"];
  const sorted = [...found.values()].sort((one, other) =>
    order.indexOf(one.finding.state) - order.indexOf(other.finding.state) || (one.finding.harm || 0) - (other.finding.harm || 0)
    || other.rows.size - one.rows.size);
  if (!sorted.length) return null;
  const failing = sorted.filter(({ finding }) => ["new", "stale"].includes(finding.state)).length;
  const shown = Math.max(SHOWN_CAUSES, failing); // what fails is never folded
  const table = el("table", { class: "causes" },
    el("thead", {}, el("tr", {}, ["Cause", "State", "Level", "Cases", "One of them"].map((title) => el("th", { scope: "col" }, title)))),
    el("tbody", {}, sorted.slice(0, shown).map(causeRow)));
  const rest = sorted.length > shown && folded(`${counted(sorted.length - shown, "more cause")}`,
    () => el("table", { class: "causes" }, el("tbody", {}, sorted.slice(shown).map(causeRow))));
  return el("section", { "aria-labelledby": "causes-title" }, el("h2", { id: "causes-title" }, "Findings by cause"),
    el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Findings by cause, table" }, table), rest);
}

function causeRow({ finding, rows }) {
  const [first] = rows;
  const { cause, state, level } = finding;
  return el("tr", {},
    el("th", { scope: "row" }, el("a", { href: fragmentOf({ cause, state }) }, cause)),
    el("td", {}, el("span", { class: `badge ${state}` }, state)), el("td", { class: "word" }, level),
    el("td", { class: "number" }, rows.size), el("td", {}, caseLink(first, { cause, state })));
}

// What has changed since an earlier run, if there is one.
function earlierRun({ earlier }) {
  if (!earlier) return null;
  const link = (since, count) => el("a", { href: fragmentOf({ since }) }, `${count.toLocaleString("en")} ${since}`);
  const gaps = earlier.not_comparable;
  return el("section", { "aria-labelledby": "earlier-title" }, el("h2", { id: "earlier-title" }, "Since the earlier run"),
    el("p", {}, `Compared with the run of ${earlier.started || "an unknown time"}: findings `, link("new", earlier.new), ", ", link("fixed", earlier.fixed), ", ", link("changed", earlier.changed), ", ", link("as before", earlier.same), "."),
    earlier.notes.map((note) => el("p", { class: "note" }, note)),
    gaps.length > 0 && folded(`${gaps.length.toLocaleString("en")} cannot be compared`, () => definitions(gaps)));
}

// This run and others, of the same agent or not, by area: a row of the table has them in the order in which they were named.
function runsBeside({ beside, areas }) {
  if (!beside.length) return null;
  const cell = (run, area) => {
    const found = Object.values(run.cases).filter(([of]) => !area || of === area).map(([, outcome]) => outcome);
    const judged = found.filter((outcome) => JUDGED.includes(outcome));
    const failed = found.filter((outcome) => ["fail", "stale", "error"].includes(outcome)).length;
    return el("td", {}, judged.length ? `${judged.filter((outcome) => outcome === "pass").length}/${judged.length}` : "-", failed > 0 && el("b", { class: "failed" }, ` ${failed} failed`));
  };
  const head = (run, place) => el("th", { scope: "col" }, run.agent, el("div", { class: "note" }, place === beside.length - 1 ? "this run" : run.started.slice(0, 16).replace("T", " ") || "at an unknown time"), el("div", { class: "note" }, run.verdict));
  const row = (area) => el("tr", {}, el("th", { scope: "row" }, area ? el("a", { href: fragmentOf({ area }) }, area) : "all"), beside.map((run) => cell(run, area)));
  return el("section", { "aria-labelledby": "beside-title" }, el("h2", { id: "beside-title" }, "Runs side by side"),
    el("p", { class: "note" }, "Each cell: passed of all cases with a verdict."),
    el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Runs side by side, table" },
      el("table", { class: "runs" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Area"), beside.map(head))), el("tbody", {}, ["", ...areas].map(row)),
        el("tbody", {}, el("tr", {}, el("th", { scope: "rowgroup", colspan: beside.length + 1 }, el("b", {}, "Cases by cause"))), causesBeside(beside)))));
}

// When each cause came and went: those of this run first.
function causesBeside(beside) {
  const all = [...new Set([...beside].reverse().flatMap(({ causes }) => Object.keys(causes)))];
  const cell = ([count, flaky] = [0, false]) => el("td", {}, count ? `${count}${flaky ? ", flaky" : ""}` : "-");
  return all.slice(0, SHOWN_IN_HISTORY).map((cause) => el("tr", {}, el("th", { scope: "row" }, cause), beside.map(({ causes }) => cell(causes[cause]))));
}

function slowest(rows) {
  const most = [...rows].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST).filter(({ seconds }) => seconds >= 0.1);
  return most.length > 0 && folded("The slowest cases", () => el("table", { class: "slowest" },
    el("tbody", {}, most.map((row) => el("tr", {}, el("td", { class: "number" }, `${row.seconds.toFixed(1)} s`), el("td", {}, caseLink(row)))))));
}

function matrix(index) {
  const all = [...new Set(index.rows.map((row) => row.wire))].sort();
  const judged = new Set(index.rows.filter((row) => row.outcome !== "not-verified").map((row) => row.wire));
  const wires = judged.size ? all.filter((wire) => judged.has(wire)) : all; // a wire that the agent lacks has nothing to show
  const cells = new Map();
  for (const row of index.rows) {
    const key = `${row.area}\n${row.wire}`;
    if (!cells.has(key)) cells.set(key, new Map());
    cells.get(key).set(row.outcome, (cells.get(key).get(row.outcome) || 0) + 1);
  }
  const cell = (area, wire) => el("td", {}, cells.has(`${area}\n${wire}`) ? matrixLink(area, wire, cells.get(`${area}\n${wire}`)) : el("span", { class: "none" }, "-"));
  const table = el("table", { class: "matrix" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Area"), wires.map((wire) => el("th", { scope: "col" }, wire)))),
    el("tbody", {}, index.areas.map((area) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: fragmentOf({ area }) }, area)), wires.map((wire) => cell(area, wire))))));
  table.addEventListener("keydown", moveInTable);
  return el("section", { "aria-labelledby": "matrix-title" }, el("h2", { id: "matrix-title" }, "Areas and wires"),
    el("p", { class: "note" }, "Each cell: passed of all cases with a verdict, then how the others ended. Arrow keys move from cell to cell."),
    el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Areas and wires, table" }, table));
}

function matrixLink(area, wire, counts) {
  const count = (outcome) => counts.get(outcome) || 0;
  const judged = JUDGED.reduce((sum, outcome) => sum + count(outcome), 0);
  const words = [...OUTCOMES].reverse().filter(count).map((outcome) => `${count(outcome)} ${OUTCOME_WORDS[outcome]}`).join(", ");
  const bad = ["fail", "stale", "error"].filter(count);
  const kind = bad.length ? "fail" : count("known") ? "known" : judged ? "pass" : "none";
  return el("a", { class: `cell ${kind}`, href: fragmentOf({ area, wire }), "aria-label": `${area} on ${wire}: ${words}`, title: words },
    judged ? `${count("pass")}/${judged}` : bad.length ? "" : "not verified",
    bad.map((outcome) => el("b", {}, ` ${count(outcome)} ${OUTCOME_WORDS[outcome]}`)), count("known") > 0 && el("i", {}, ` ${count("known")} known`));
}

function moveInTable(event) {
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] || [];
  const at = event.target.closest("td, th");
  if (down === undefined || !at) return;
  const row = at.parentElement.parentElement.rows[at.parentElement.sectionRowIndex + down];
  const link = row && row.cells[at.cellIndex + right] && row.cells[at.cellIndex + right].querySelector("a");
  if (!link) return;
  event.preventDefault();
  link.focus();
}
