// What is chosen is in the fragment of the address alone, so that a link shows the same to everybody.

const CHOICES = {
  outcome: { label: "Verdict", of: (row) => [row.outcome], word: (outcome) => OUTCOME_WORDS[outcome] },
  state: { label: "New or known", ofFinding: (finding) => finding.state },
  cause: { label: "Cause", ofFinding: (finding) => finding.cause },
  law: { label: "Law", ofFinding: (finding) => finding.law },
  level: { label: "Level", ofFinding: (finding) => finding.level },
  since: { label: "Since the earlier run", ofFinding: (finding) => finding.since },
  area: { label: "Area", of: (row) => [row.area] },
  wire: { label: "Wire", of: (row) => [row.wire] },
  profile: { label: "Profile", of: (row) => [row.profile] },
};
const FINDING_CHOICES = Object.keys(CHOICES).filter((name) => CHOICES[name].ofFinding);
const ROW_CHOICES = Object.keys(CHOICES).filter((name) => CHOICES[name].of);

function readFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const chosen = { text: given.get("text") || "", case: given.get("case") || "" };
  for (const name of Object.keys(CHOICES)) chosen[name] = given.get(name) || "";
  return chosen;
}

function fragmentOf(chosen) {
  const given = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
  return `#${given}`;
}

// A row matches if one finding of it has all that is chosen of findings.
function matches(row, chosen) {
  if (!ROW_CHOICES.every((name) => !chosen[name] || CHOICES[name].of(row).includes(chosen[name]))) return false;
  const asked = FINDING_CHOICES.filter((name) => chosen[name]);
  const has = (finding) => asked.every((name) => CHOICES[name].ofFinding(finding) === chosen[name]);
  if (asked.length && !row.findings.some(has)) return false;
  if (!chosen.text) return true;
  row.text = row.text || textOf(row);
  return chosen.text.toLowerCase().split(/\s+/).every((word) => row.text.includes(word));
}

// The form: a choice that has only one value is not offered.
function filterForm(rows) {
  const text = el("input", { type: "search", id: "filter-text", name: "text", autocomplete: "off", oninput: applyForm });
  const fields = [field("text", "Text", text)];
  for (const name of Object.keys(CHOICES)) {
    const counts = countsOf(rows, name);
    if (counts.size > 1 || FINDING_CHOICES.includes(name) && counts.size) fields.push(field(name, CHOICES[name].label, select(name, counts)));
  }
  const clear = el("a", { class: "button", href: "#", id: "clear" }, "Clear");
  return el("form", { id: "filters", role: "search", "aria-label": "Filter the cases", onsubmit: (event) => event.preventDefault() }, fields, clear);
}

function field(name, label, control) {
  return el("div", { class: "field" }, el("label", { for: `filter-${name}` }, label), control);
}

function select(name, counts) {
  const word = CHOICES[name].word || ((value) => value);
  const options = [...counts].map(([value, count]) => {
    const option = el("option", {}, `${word(value)} (${count})`);
    option.value = value; // as it is, not as it is shown
    return option;
  });
  return el("select", { id: `filter-${name}`, name, onchange: applyForm }, el("option", { value: "" }, "all"), options);
}

function countsOf(rows, name) {
  const counts = new Map();
  const { of, ofFinding } = CHOICES[name];
  for (const row of rows) {
    const values = new Set(of ? of(row) : row.findings.map(ofFinding));
    for (const value of values) if (value) counts.set(value, (counts.get(value) || 0) + 1);
  }
  return new Map([...counts].sort(([one, first], [other, second]) => second - first || (one < other ? -1 : 1)));
}

function applyForm() {
  const form = document.getElementById("filters");
  location.replace(fragmentOf(Object.fromEntries(new FormData(form))));
}

function showInForm(chosen) {
  const form = document.getElementById("filters");
  for (const control of form.elements) {
    if (control.name && control.value !== chosen[control.name]) control.value = chosen[control.name];
  }
}
