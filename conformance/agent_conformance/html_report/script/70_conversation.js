// The transcript of a case as a conversation: who said what to whom, with the wrong place marked.

function conversation(item) {
  if (!item.turns.length) return item.narrative ? narrative(item.narrative) : null;
  return el("ol", { class: "conversation" }, item.turns.map((turn) => el("li", {}, turnView(item, turn))));
}

// Of a case without a finding there is the text alone.
function narrative(text) {
  const kinds = [[/^turn /, "turn"], [/^ {2}(user|the user says):/, "user"], [/^ {2}(model|provider's)/, "model"], [/^ {2}reply:/, "reply"], [/^ {2}(ran|began|refused to run|asked)/, "tool"]];
  const kind = (line) => (kinds.find(([pattern]) => pattern.test(line)) || [null, "rest"])[1];
  return el("pre", { class: "narrative", tabindex: "0" }, text.trimEnd().split("\n").map((line) => el("span", { class: kind(line) }, `${line}\n`)));
}

function turnView(item, turn) {
  const marks = new Map();
  item.findings.forEach((finding, number) => {
    const part = finding.place && finding.place.turn === turn.number ? placeIn(turn, finding) : undefined;
    if (part !== undefined) marks.set(part, [...(marks.get(part) || []), [finding, number]]);
  });
  const about = [turn.is_follow_up && "one more message", turn.session && `session ${turn.session}`].filter(Boolean).join(", ");
  return [el("h4", {}, `Turn ${turn.number}${about ? ` (${about})` : ""}`), said("user", "User", turn.user), ...parts(item, turn, marks), ending(turn, marks)];
}

// Which part of a turn a finding is about: a request by its place in the list, or the turn's end.
function placeIn(turn, finding) {
  const requests = turn.requests || [];
  const same = requests.filter((request) => request.number === finding.place.request);
  if (!same.length) return "end";
  return requests.indexOf(same.find((request) => request.violation && request.violation.rule === finding.rule) || same[0]);
}

function parts(item, turn, marks) {
  const requests = turn.requests || [];
  const actions = [...(turn.approvals || []).map((approval) => ({ ...approval, asks: true })), ...(turn.attempts || [])];
  const when = (action) => [action.requests_before || 0, action.asks ? action.attempts_before || 0 : action.order || 0];
  actions.sort((one, other) => when(one)[0] - when(other)[0] || when(one)[1] - when(other)[1] || (one.asks ? -1 : 1));
  const shown = [];
  for (let place = 0; place <= requests.length; place += 1) {
    const meanwhile = (turn.said || []).filter((one) => (one.requests_before || 0) === place);
    shown.push(...meanwhile.map((one) => said("user", "The user says", one.text)));
    shown.push(...actions.filter((action) => (action.requests_before || 0) === place).map(actionView));
    if (place < requests.length) shown.push(requestView(item, requests[place], marks.get(place)));
  }
  return shown;
}

function said(kind, who, text, marked) {
  return el("div", { class: `said ${kind}${marked ? " wrong" : ""}` }, flags(marked), el("b", {}, who), el("div", { class: "text", dir: "auto" }, text || "(nothing)"));
}

function flags(marked) {
  return (marked || []).map(([finding, number]) => el("span", { class: "flag", id: `wrong-${number}`, tabindex: "-1" }, `#${finding.id} is about this`));
}

function requestView(item, request, marked) {
  const weighty = (marked || []).filter(([finding]) => finding.state !== "advice");
  const path = [...weighty, ...(marked || [])].map(([finding]) => finding.place.path).find(Boolean) || (request.violation && request.violation.path);
  const about = [request.provider, request.model, request.kind !== "reply" && request.kind, request.status && `status ${request.status}`].filter(Boolean).join(" · ");
  const offers = request.offers && request.offers.length ? el("p", { class: "note" }, `offers ${request.offers.join(", ")}`) : null;
  const refusals = [...(request.violation ? [["refused", request.violation]] : []), ...(request.tolerated || []).map((violation) => ["tolerated", violation])];
  return el("div", { class: `request${marked || request.violation ? " wrong" : ""}` }, flags(marked),
    el("b", {}, `Request ${request.number}`), " ", el("span", { class: "note" }, about), offers,
    request.news && el("pre", { class: "news" }, request.news.replace(/\n$/, "")),
    refusals.map(([word, violation]) => el("div", { class: "refusal" }, el("b", {}, `${word} by ${violation.rule}`), violation.path && ` at ${violation.path}`, el("div", { class: "text", dir: "auto" }, violation.message))),
    request.answer && said("model", "Model", request.answer.replace(/\n$/, "")), rawBodies(item, request, path, weighty.length > 0));
}

function rawBodies(item, request, path, open) {
  const part = (title, id, view, open) => id && folded(title, () => later(bodyOf(id, item.block).then(view)), open);
  return el("div", { class: "raw" },
    part(path ? `Request as sent, ${path} marked` : "Request as sent", request.request, (body) => bodyView(body, path), Boolean(path) && open),
    part("Response", request.response, (body) => bodyView(body)),
    part("Repeat this request with curl", request.request, (body) => repeatCommands(item, request, body)));
}

function later(promise) {
  const place = el("div", {}, "…");
  promise.then((content) => fill(place, content), (error) => fill(place, `It cannot be shown: ${error}`));
  return place;
}

function actionView(action) {
  if (action.asks) return said("tool", `Asks to allow ${action.tool} ${action.arguments}`, { allowed: "allowed", denied: "denied", pending: "no answer yet" }[action.answer] || action.answer);
  const verb = action.lost === "before" ? "Begins to run" : action.accepted ? "Runs" : "Refuses to run";
  const result = action.lost ? `the agent was killed ${action.lost} that` : `${action.failed ? "raises" : "gives"} ${action.result}`;
  return said("tool", `${verb} ${action.tool} ${action.arguments}`, result);
}

function ending(turn, marks) {
  const marked = marks.get("end");
  const withdrawn = (turn.withdrawn || []).map((text) => said("reply withdrawn", "Taken back", text));
  if (!turn.outcome || turn.outcome === "reply") return [withdrawn, said("reply", "Reply", turn.reply, marked)];
  return [withdrawn, said("reply ended", turn.outcome, `${turn.failure}${turn.place ? ` at ${turn.place}` : ""}`, marked)];
}
