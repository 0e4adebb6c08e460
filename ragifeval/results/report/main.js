// The page: filters, the list and its growth, keys, theme, print.

const $ = (id) => document.getElementById(id);
const CHUNK = 50;  // questions added at a time
const MOST_PRINTED = 1000;
const DEBOUNCE = 150;  // milliseconds

let matches = [];
let current = null;  // the question that the keys j and k go on from

function choose(name) {
  return $(name).value === "" ? null : Number($(name).value);
}

function grow(count = CHUNK) {
  const list = $("list");
  const start = list.childElementCount;
  list.append(...matches.slice(start, start + count).map(makeQuestion));
  const left = matches.length - list.childElementCount;
  $("more").hidden = left === 0;
  $("more").textContent = say("show_more", { next: Math.min(CHUNK, left), left });
}

function filter() {
  matches = matching({
    text: $("search").value,
    points: $("points").value,
    condition: choose("condition"),
    category: choose("category"),
  });
  current = null;
  $("list").replaceChildren();
  grow();
  if (!matches.length) $("list").append(make("p.nothing", {}, texts.none_shown));
  $("count").textContent = say("shown", { count: number(matches.length, 0), all: number(data.questions.length, 0) });
}

function setFilters(values) {
  for (const name of ["search", "points", "condition", "category"]) {
    $(name).value = values[name] ?? (name === "points" ? "all" : "");
  }
  filter();
}

function fillControls() {
  $("points").append(...pointChoices().map(([value, name]) => make("option", { value }, name)));
  const scored = new Set(data.questions.flatMap((question) => question.conditions ?? []));
  $("condition").append(...data.counted.filter((index) => scored.has(index)).map((index) =>
    make("option", { value: index }, scoreName(data.keys[index]))));
  $("category").append(...data.categories.map((name, index) =>
    make("option", { value: index }, name)));
  const columns = ["condition", "category"].filter((name) => $(name).options.length === 1);
  for (const name of columns) $(name).closest("label").hidden = true;
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
    ["include", "right"], ["exclude", "wrong"], ["include", "unscored"], ["cite", "right"],
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
  const list = $("list");
  const from = document.activeElement?.closest("article.question") ?? current;
  const place = from ? [...list.children].indexOf(from) + by : 0;
  if (place >= list.childElementCount && place < matches.length) grow();
  const next = list.children[place];
  if (!next || !next.matches("article")) return;
  current = next;
  next.focus({ preventScroll: true });
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
    before = $("list").childElementCount;
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
    for (const details of opened) details.open = false;
    while ($("list").childElementCount > before) $("list").lastElementChild.remove();
    grow(0);
    $("printed").hidden = true;
  });
}

let waiting = 0;
$("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, DEBOUNCE);
});
for (const name of ["points", "condition", "category"]) $(name).addEventListener("change", filter);
$("reset").addEventListener("click", () => {
  setFilters({});
  $("search").focus();
});
$("more").addEventListener("click", () => {
  const start = $("list").childElementCount;
  grow();
  $("list").children[start].focus({ preventScroll: true });
});
addEventListener("keydown", onKey);

keepTheme();
fillControls();
linkBars();
fillLegend();
preparePrint();
$("keys").append(...sayNodes("keys", {
  slash: make("kbd", {}, "/"), j: make("kbd", {}, "j"), k: make("kbd", {}, "k") }));
for (const name of ["filters", "legend", "theme-control"]) $(name).hidden = false;
filter();
