// Puts the page together, and shows what the fragment of the address asks for.

let report;
let shown;

async function start() {
  const main = document.getElementById("main");
  if (typeof DecompressionStream === "undefined") {
    fill(main, el("p", { class: "problem", role: "alert" }, "This browser cannot unpack the data of this page: it has no DecompressionStream. Chrome 80, Firefox 113 and Safari 16.4 have it. ",
      "The same results are in results.json and summary.md beside this page."));
    return;
  }
  report = await readIndex();
  const overview = el("div", { id: "overview" }, tiles(report.rows), report.up && el("p", {}, el("a", { href: report.up }, "All cases")),
    !report.up && [earlierRun(report), causes(report.rows), runsBeside(report), matrix(report), slowest(report.rows)],
    el("section", { "aria-labelledby": "cases-title" }, el("h2", { id: "cases-title", tabindex: "-1" }, "Cases"), filterForm(report.rows), caseList()));
  fill(main, overview, el("div", { id: "case", hidden: true }));
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => event.key === "Escape" && shown.case && goBack());
  await show();
  document.documentElement.dataset.ready = performance.now().toFixed(0);
}

async function show() {
  const chosen = readFragment();
  const filters = { ...chosen, case: "" };
  if (!shown || fragmentOf(filters) !== fragmentOf({ ...shown, case: "" })) {
    showRows(report.rows.filter((row) => matches(row, chosen)), report.rows.length, filters);
    showInForm(chosen);
    if (shown && !chosen.case && !document.activeElement.closest("#filters")) focusOn(document.getElementById("cases-title"));
  }
  const before = shown;
  shown = chosen;
  await showCase(chosen, before);
}

async function showCase(chosen, before) {
  const [overview, place] = [document.getElementById("overview"), document.getElementById("case")];
  const row = report.byId.get(chosen.case);
  if (row && row.block < 0) {
    location.replace(addressOf(row, chosen));
    return;
  }
  if (row) {
    if (!place.hidden || !before || !before.case) shown.scrolled = before && before.case ? before.scrolled : scrollY;
    const view = await caseView(row, neighboursOf(row, chosen));
    if (readFragment().case !== chosen.case) return; // another one was opened meanwhile
    fill(place, view);
  } else {
    fill(place, chosen.case && el("p", { class: "problem", role: "alert" }, `There is no case ${chosen.case} on this page.`));
  }
  place.hidden = !chosen.case;
  overview.hidden = Boolean(row);
  if (row) {
    scrollTo(0, 0);
    document.getElementById("case-title").focus({ preventScroll: true });
  } else if (before && before.case) {
    scrollTo(0, before.scrolled || 0);
    const link = document.querySelector(`[data-case="${CSS.escape(before.case)}"]`);
    if (link) link.focus({ preventScroll: true });
  }
}

function neighboursOf(row, chosen) {
  const place = list.rows.indexOf(row);
  const step = (word, other) => other && other.block >= 0 && el("a", { class: "button", href: fragmentOf({ ...chosen, case: other.id }), title: other.id }, word);
  return el("nav", { class: "neighbours", "aria-label": "Other cases" }, el("a", { class: "button", href: fragmentOf({ ...chosen, case: "" }), id: "back" }, "Back to the list"),
    step("Previous", list.rows[place - 1]), step("Next", place < 0 ? undefined : list.rows[place + 1]),
    place >= 0 && el("span", { class: "note" }, `${place + 1} of ${list.rows.length}`));
}

function goBack() {
  location.hash = fragmentOf({ ...readFragment(), case: "" });
}

// Automatic, light, dark, and round again. Where the browser keeps nothing for files, the choice lasts as long as the page.
function startTheme() {
  const button = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  const set = (theme) => {
    document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  let kept = null;
  try {
    kept = localStorage.getItem("agent-conformance-theme");
  } catch {
    kept = null;
  }
  set(themes.includes(kept) ? kept : "auto");
  button.addEventListener("click", () => {
    set(themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length]);
    try {
      localStorage.setItem("agent-conformance-theme", document.documentElement.dataset.theme);
    } catch {
      return;
    }
  });
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the fragment is taken
  focusOn(document.getElementById(shown && shown.case ? "case-title" : "cases-title"));
});
startTheme();
start().catch((error) => fill(document.getElementById("main"), el("p", { class: "problem", role: "alert" }, `The data of this page cannot be read: ${error}`)));
