// Makes elements. Everything that an agent or a model wrote enters the page here, as text and never as markup.

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

// A text in which marks that reorder or hide others are written out, as `\u202e`.
function visible(text) {
  return String(text).replace(UNPRINTABLE, (mark) => (mark === "\n" || mark === "\t" ? mark : written(mark)));
}

function written(mark) {
  const code = mark.codePointAt(0);
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

// `onclick` and the like are functions; all other attributes are texts. Children that are empty are left out.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, visible(value));
  }
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  const there = children.flat(3).filter((child) => child !== undefined && child !== null && child !== false && child !== "");
  return there.map((child) => (child instanceof Node ? child : visible(child)));
}

function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

// A source is a link only if it is an address of the web: `javascript:` and the like stay texts.
function source(address) {
  if (!/^https?:\/\/[^\s"'<>\\]+$/i.test(address)) return el("span", { class: "source" }, address);
  return el("a", { class: "source", href: address, rel: "noreferrer noopener", target: "_blank" }, address);
}

// Content that is made when it is opened for the first time.
function folded(title, make, open = false) {
  const details = el("details", { open }, el("summary", {}, title));
  const show = () => details.open && details.childElementCount === 1 && details.append(...nodes([make()]));
  details.addEventListener("toggle", show);
  if (open) show();
  return details;
}

function definitions(pairs) {
  const rows = pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null && value.length !== 0);
  return rows.length ? el("dl", {}, rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])) : null;
}

function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
