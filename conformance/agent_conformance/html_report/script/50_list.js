// The list of cases. Rows are made as they are scrolled to: thousands at once would make the page pause.

const ROWS_AT_ONCE = 100;
const list = { rows: [], made: 0, body: null, more: null, count: null };

function caseList() {
  list.body = el("tbody");
  list.count = el("p", { id: "count", role: "status", "aria-live": "polite" });
  list.more = el("button", { type: "button", id: "more", onclick: () => moreRows(true) });
  const head = ["Verdict", "Case", "Findings"].map((title) => el("th", { scope: "col" }, title));
  const table = el("table", { class: "cases", "aria-describedby": "count" }, el("thead", {}, el("tr", {}, head)), list.body);
  table.addEventListener("keydown", moveInList);
  new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && moreRows(false), { rootMargin: "600px" }).observe(list.more);
  return [list.count, el("div", { class: "scrolls" }, table), list.more];
}

function showRows(rows, all, chosen) {
  Object.assign(list, { rows, made: 0, chosen });
  fill(list.count, rows.length === all ? `${counted(all, "case")}` : `${rows.length.toLocaleString("en")} of ${counted(all, "case")}`);
  list.body.replaceChildren();
  moreRows(false);
}

function moreRows(moveFocus) {
  const next = list.rows.slice(list.made, list.made + ROWS_AT_ONCE).map((row) => caseRow(row, list.chosen));
  list.body.append(...next);
  list.made += next.length;
  list.more.hidden = list.made >= list.rows.length;
  fill(list.more, `Show more: ${list.made.toLocaleString("en")} of ${list.rows.length.toLocaleString("en")} are shown`);
  if (moveFocus && next.length) next[0].querySelector("a").focus();
}

function caseRow(row, chosen) {
  return el("tr", {}, el("td", {}, el("span", { class: `badge ${row.outcome}` }, OUTCOME_WORDS[row.outcome])),
    el("th", { scope: "row" }, caseLink(row, chosen), el("span", { class: "note" }, row.title)),
    el("td", {}, row.findings.map((finding) => el("div", { class: "finding-line" }, el("span", { class: `badge ${finding.state}` }, finding.state), " ", finding.cause))));
}

function caseLink(row, chosen = {}) {
  return el("a", { class: "case", href: addressOf(row, chosen), "data-case": row.id }, row.id);
}

// Of the case on this page, or on the page that has its transcript.
function addressOf(row, chosen) {
  return row.block < 0 ? `${report.pages[row.page]}${fragmentOf({ case: row.id })}` : fragmentOf({ ...chosen, case: row.id });
}

function moveInList(event) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const row = event.target.closest("tbody tr");
  if (!step || !row) return;
  if (step > 0 && !row.nextElementSibling) moreRows(false);
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  if (!next) return;
  event.preventDefault();
  next.querySelector("a").focus();
}
