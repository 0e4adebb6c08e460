// Elements are made of text nodes alone: nothing that a log says is ever parsed as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const texts = data.texts;

/** A text of the catalogue, its {names} filled in. */
function say(name, values = {}) {
  return texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));
}

/**
 * An element: make("p.note", {title: "…"}, "text", [child, …], null).
 * Children may be nodes, strings, lists of them, or null for nothing.
 */
function make(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

/** A details element whose content is made when it is first opened. */
function makeLazily(what, summary, content) {
  const details = make(what, {}, make("summary", {}, summary));
  details.build = () => {
    details.build = null;
    details.append(...[content()].flat(Infinity));
  };
  details.addEventListener("toggle", () => details.open && details.build && details.build());
  return details;
}

// Characters that cannot be seen, or that turn the order of what follows: controls, soft hyphens,
// joiners, marks of direction, separators, tags, halves of surrogate pairs. Not: tabs, ends of
// lines, and the joiner that makes one emoji of several.
const UNSEEN_PARTS = new RegExp(
  "((?![\\n\\t\\r]|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d)" +
  "[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\u2028\\u2029\\u115f\\u1160\\u3164\\uffa0])", "u");

/** A text as nodes; what cannot be seen in it is shown by its code point, which CSS writes. */
function written(text) {
  return text.split(UNSEEN_PARTS).map((part, index) => {
    if (index % 2 === 0) return part === "" ? null : part;
    const code = "U+" + part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const title = say("mark_document", { mark: say("mark_unseen"), about: code });
    return make("bdi.unseen", { "data-code": code, title }, part);
  });
}

/** A text of the data or of a log: in Polish, in its own direction, its white space kept. */
function makeText(what, text) {
  return make(what, { lang: "pl", dir: "auto" }, written(text));
}

/** A short name from outside amid a sentence of the page. */
function quoted(text) {
  return make("bdi", {}, written(text));
}

/** A sentence of the catalogue whose {names} are nodes. */
function sayNodes(name, values) {
  return texts[name].split(/(\{\w+\})/).map((part) => {
    const key = part.slice(1, -1);
    return part.startsWith("{") && key in values ? values[key] : part;
  });
}

function number(value, places) {
  const [whole, decimals] = value.toFixed(places).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, texts.thousands_mark);
  return decimals ? grouped + texts.decimal_mark + decimals : grouped;
}

function percent(share) {
  return number(share * 100, share === 0 || share === 1 ? 0 : 1) + "%";
}

/** The name of a score key; a condition that the catalogue does not know has its key for one. */
function scoreName(key) {
  return key in texts ? texts[key] : key;
}
