// The page: filters, the list and its growth, keys, theme, print.

const $ = (id) => document.getElementById(id);
// Rows and cards added at a time: a card of many models is long, and takes long to make.
const [ROWS, CARDS] = data.runs.length > 4 ? [25, 5] : [50, 50];
const MOST_PRINTED = 1000;
const DEBOUNCE = 150;  // milliseconds

let matches = [];
let current = null;  // the question that the keys j and k go on from

function choose(name) {
  return $(name).value === "" ? null : Number($(name).value);
}

/** Where rows or cards stand. */
function container() {
  return $("list").querySelector("tbody") ?? $("list");
}

function grow(count = null) {
  const list = container();
  const start = list.childElementCount;
  const [makeOne, chunk] = list === $("list") ? [makeQuestion, CARDS] : [makeGridRow, ROWS];
  list.append(...matches.slice(start, start + (count ?? chunk)).map(makeOne));
  const left = matches.length - list.childElementCount;
  $("more").hidden = left === 0;
  $("more").textContent = say("show_more", { next: Math.min(chunk, left), left });
}

function filter() {
  matches = matching({
    text: $("search").value,
    points: $("points").value,
    order: $("order").value,
    kind: $("kind").value,
    variant: $("variant").value,
    condition: choose("condition"),
    category: choose("category"),
  });
  current = null;
  $("list").replaceChildren(...($("view").value === "grid" ? [makeGrid()] : []));
  grow();
  if (!matches.length) $("list").replaceChildren(make("p.nothing", {}, texts.none_shown));
  $("count").textContent = say("shown", { count: number(matches.length, 0), all: number(data.questions.length, 0) });
  writeAddress();
}

const DEFAULTS = { search: "", points: "all", order: "data", view: "cards", condition: "", category: "", kind: "", variant: "" };

function setFilters(values) {
  for (const [name, otherwise] of Object.entries(DEFAULTS)) {
    $(name).value = values[name] ?? otherwise;
    if ($(name).value !== String(values[name] ?? otherwise)) $(name).value = otherwise;
  }
  filter();
}

// What stands in the address: conditions and categories by their names, which stay the same.
const NAMED = { condition: data.keys, category: data.categories };

/** Every filter stands in the address, so that a link shows what I see. */
function writeAddress(at = null) {
  const told = new URLSearchParams();
  for (const [name, otherwise] of Object.entries(DEFAULTS)) {
    const value = $(name).value;
    if (value !== otherwise) told.set(name, NAMED[name]?.[Number(value)] ?? value);
  }
  if (at !== null) told.set("at", at);
  const address = told.toString() ? "#" + told : location.pathname + location.search;
  if (address !== location.hash) {
    try { history.replaceState(null, "", address); } catch { /* too often for this browser */ }
  }
}

/** Show what the address names: the filters, and the question that a link is to. */
function readAddress() {
  if (location.hash && !location.hash.includes("=")) return false;
  const told = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  for (const [name, names] of Object.entries(NAMED)) {
    if (name in told) told[name] = String(names.indexOf(told[name]));
  }
  setFilters(told);
  const index = data.questions.findIndex((question) => question.id === told.at);
  const place = matches.indexOf(index);
  if (place < 0) return true;
  grow(Math.max(0, place + 1 - container().childElementCount));
  const card = container().children[place];
  current = card;
  writeAddress(told.at);
  card.focus({ preventScroll: true });
  card.scrollIntoView({ block: "start" });
  return true;
}

function fillControls() {
  $("points").append(...pointChoices().map(([value, name]) => make("option", { value }, name)));
  const scored = new Set(data.questions.flatMap((question) => question.conditions ?? []));
  $("condition").append(...data.counted.filter((index) => scored.has(index)).map((index) =>
    make("option", { value: index }, scoreName(data.keys[index]))));
  $("category").append(...data.categories.map((name, index) =>
    make("option", { value: index }, name)));
  $("order").append(...Object.keys(ORDERS).map((value) => make("option", { value }, texts["order_" + value])));
  const tags = { kind: (question) => question.kind ?? [], variant: (question) => [question.variant ?? "core"] };
  for (const [name, of] of Object.entries(tags)) {
    const values = [...new Set(data.questions.flatMap(of))].sort();
    if (name === "variant" && values.length < 2) values.length = 0;
    $(name).append(...values.map((value) => make("option", { value }, value)));
  }
  const single = ["condition", "category", "kind", "variant"].filter((name) => $(name).options.length === 1);
  for (const name of single) $(name).closest("label").hidden = true;
}

/** The names beside the bars become buttons that show their questions. */
function linkBars() {
  const places = { condition: data.keys, category: data.categories };
  for (const name of Object.keys(places)) {
    for (const label of document.querySelectorAll(`[data-${name}]`)) {
      const index = places[name].indexOf(label.dataset[name]);
      if (index < 0) continue;
      const title = say("show_questions", { name: label.textContent });
      const button = make("button.name", { type: "button", title }, label.textContent);
      button.addEventListener("click", () => {
        setFilters({ [name]: index });
        $("questions").scrollIntoView();
        $("questions").focus({ preventScroll: true });
      });
      label.replaceWith(button);
    }
  }
}

function fillLegend() {
  const kinds = [
    ["include", "right"], ["include", "part"], ["include", "wrong"], ["exclude", "wrong"], ["include", "unscored"], ["cite", "right"],
    ["cite", "wrong"], ["cite", "unscored"], ["refusal", "right"], ["refusal", "wrong"],
    ["offence", "wrong"],
  ];
  const samples = { include: "abc", exclude: "abc", cite: "[0]", refusal: "abc", offence: "abc" };
  $("keys").before(make("ul", {},
    kinds.map(([kind, verdict]) => make("li", {},
      make(`mark.${kind}.${verdict}.end`, {}, samples[kind]), " ", texts[`mark_${kind}_${verdict}`])),
    make("li", {}, written("\u202e"), " ", texts.mark_unseen)));
}

function step(by) {
  const list = container();
  const from = document.activeElement?.closest("[data-index]") ?? current;
  const place = from ? [...list.children].indexOf(from) + by : 0;
  if (place >= list.childElementCount && place < matches.length) grow();
  const next = list.children[place];
  if (!next?.dataset.index) return;
  current = next;
  (next.querySelector("a") && next.matches("tr") ? next.querySelector("a") : next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select, textarea")) {
    if (event.key === "Escape" && event.target === $("search") && $("search").value) {
      $("search").value = "";
      filter();
    }
    return;
  }
  if (event.key === "/") {
    event.preventDefault();
    $("search").focus();
    $("search").select();
  } else if (event.key === "j" || event.key === "k") {
    step(event.key === "j" ? 1 : -1);
  }
}

function chooseTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function keepTheme() {
  // Where a browser keeps nothing for a page (file://, private windows), the choice lasts for now.
  const kept = (use) => { try { return use(localStorage); } catch { return null; } };
  const theme = kept((storage) => storage.getItem("ragifeval-theme")) ?? "auto";
  $("theme").value = theme;
  if (!$("theme").value) $("theme").value = "auto";
  chooseTheme($("theme").value);
  $("theme").addEventListener("change", () => {
    chooseTheme($("theme").value);
    kept((storage) => storage.setItem("ragifeval-theme", $("theme").value));
  });
}

/** On paper everything that matches is there, and open. */
function preparePrint() {
  let opened = [];
  let before = 0;
  addEventListener("beforeprint", () => {
    document.body.classList.toggle("print-questions", $("print-questions").checked);
    if (!$("print-questions").checked) return;
    before = container().childElementCount;
    if (before < MOST_PRINTED) grow(MOST_PRINTED - before);
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) {
      if (details.build) details.build();
      details.open = true;
    }
    const count = Math.max(before, MOST_PRINTED);
    $("printed").hidden = matches.length <= count;
    $("printed").textContent = say("printed", { count, all: matches.length });
  });
  addEventListener("afterprint", () => {
    if (!opened.length) return;
    for (const details of opened) details.open = false;
    while (container().childElementCount > before) container().lastElementChild.remove();
    grow(0);
    opened = [];
    $("printed").hidden = true;
  });
}

let waiting = 0;
$("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, DEBOUNCE);
});
for (const name of Object.keys(DEFAULTS).slice(1)) $(name).addEventListener("change", filter);
$("reset").addEventListener("click", () => {
  setFilters({});
  $("search").focus();
});
$("more").addEventListener("click", () => {
  const start = container().childElementCount;
  grow();
  const next = container().children[start];
  (next.querySelector("tr a, th a") ?? next).focus({ preventScroll: true });
});
for (const kind of ["csv", "jsonl"]) $(kind).addEventListener("click", () => download(kind, matches));
addEventListener("hashchange", readAddress);
addEventListener("keydown", onKey);

keepTheme();
fillControls();
linkBars();
sortLeaderboard();
fillLegend();
preparePrint();
$("keys").append(...sayNodes("keys", {
  slash: make("kbd", {}, "/"), j: make("kbd", {}, "j"), k: make("kbd", {}, "k") }));
for (const name of ["filters", "legend", "theme-control"]) $(name).hidden = false;
if (!readAddress()) filter();
addEventListener("load", () => prepareSearch());
