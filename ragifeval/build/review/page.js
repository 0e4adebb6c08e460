// The page: progress, filter, list, keys, download.

const SIGNS = { "": "○", accept: "✓", reject: "✗" };

function isShown(place) {
  const wanted = $("filter").value;
  return wanted === "all" || verdictOf(place) === (wanted === "open" ? "" : wanted);
}

function makeItem(place) {
  const verdict = verdictOf(place);
  const title = valueOf(place, "question") || data.samples[place].id;
  return make("li", {}, make(`button.${verdict || "open"}`, { type: "button", "data-place": place },
    make("span.sign", { "aria-hidden": "true" }, SIGNS[verdict]),
    make("span.unheard", {}, `${VERDICT_NAMES[verdict]}: `),
    make("span.title", { lang: $("question").lang, dir: "auto" }, written(title))));
}

const itemOf = (place) => $("list").querySelector(`[data-place="${place}"]`);

function drawCount() {
  const count = { "": 0, accept: 0, reject: 0 };
  data.samples.forEach((_, place) => { count[verdictOf(place)] += 1; });
  const done = count.accept + count.reject;
  $("count").textContent = say("count", {
    done, all: data.samples.length, accepted: count.accept, rejected: count.reject });
  $("progress").value = done;
  $("lost").hidden = isKept;
}

function drawList() {
  $("list").replaceChildren(
    ...data.samples.flatMap((_, place) => (isShown(place) ? [makeItem(place)] : [])));
}

/** The item of the current sample, after something of it has changed. */
function drawItem() {
  const item = itemOf(current)?.parentElement;
  if (!item) return;
  if (!isShown(current)) item.remove();
  else {
    item.replaceWith(makeItem(current));
    itemOf(current).setAttribute("aria-current", "true");
  }
}

/** Look at a sample; at none, where the filter leaves none. */
function show(place) {
  if (current !== null) itemOf(current)?.removeAttribute("aria-current");
  current = place;
  $("sample").hidden = place === null;
  $("nothing").hidden = place !== null;
  if (place === null) return;
  drawSample();
  itemOf(place)?.setAttribute("aria-current", "true");
  itemOf(place)?.scrollIntoView({ block: "nearest" });
  // Whoever presses the buttons one after the other stays on them.
  if (!document.activeElement?.closest(".actions, #filter")) {
    $("sample").focus({ preventScroll: true });
  }
  $("sample").scrollIntoView({ block: "start" });
}

/** The next place that the filter shows: forwards (1) or backwards (-1); null at the end. */
function beside(step) {
  for (let place = current + step; place >= 0 && place < data.samples.length; place += step) {
    if (isShown(place)) return place;
  }
  return null;
}

function go(step) {
  const place = beside(step);
  if (place !== null) show(place);
}

function firstShown() {
  const place = data.samples.findIndex((_, index) => isShown(index));
  return place < 0 ? null : place;
}

function setVerdict(verdict) {
  // An earlier verdict is taken back by a word of its own: an empty one says nothing.
  change(current, "verdict", verdict || (original(current, "verdict") ? "open" : ""));
  drawItem();
  drawCount();
}

/** Pass a verdict and go on to the next sample. */
function judge(verdict) {
  if (verdict === "accept" && !isWhole(current)) {
    openEditor(true);
    $("message").textContent = texts.not_whole;
    return;
  }
  setVerdict(verdict);
  const following = verdict === "" ? null : beside(1);
  if (following !== null) show(following);
  else if (isShown(current)) drawVerdict();
  else show(firstShown());
}

function onEdit(name) {
  change(current, name, $(`edit-${name}`).value);
  if (!isWhole(current) && verdictOf(current) === "accept") {
    setVerdict("");
    drawVerdict();
  }
  if (name === "question") drawItem();
  if (name !== "note") drawTexts();
  $("lost").hidden = isKept;
}

function edit() {
  openEditor($("editor").hidden);
  if (!$("editor").hidden) $("edit-question").focus();
}

function restore() {
  for (const name of TEXTS) {
    change(current, name, original(current, name));
    $(`edit-${name}`).value = original(current, name);
  }
  drawItem();
  drawTexts();
}

function leaveField() {
  openEditor(false);
  $("sample").focus({ preventScroll: true });
}

function download() {
  const href = URL.createObjectURL(new Blob([csvText()], { type: "text/csv;charset=utf-8" }));
  make("a", { href, download: "review.csv" }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  isSaved = true;
}

const ACTIONS = {
  accept: () => judge("accept"),
  reject: () => judge("reject"),
  reopen: () => judge(""),
  edit,
  close: leaveField,
  restore,
  previous: () => go(-1),
  next: () => go(1),
};
const KEYS = { a: "accept", r: "reject", o: "reopen", e: "edit", ArrowLeft: "previous", ArrowRight: "next" };

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || current === null) return;
  if (event.target.matches("textarea, select")) {
    if (event.key === "Escape" && event.target.matches("textarea")) leaveField();
    return;
  }
  // Held down, a key would pass its verdict on everything.
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || !$("keys").checked || (event.repeat && !action.match(/previous|next/))) return;
  event.preventDefault();
  ACTIONS[action]();
}

restoreChanges();
for (const [id, action] of Object.entries(ACTIONS)) $(id).addEventListener("click", action);
for (const name of [...TEXTS, "note"]) {
  $(`edit-${name}`).addEventListener("input", () => onEdit(name));
}
$("editor").addEventListener("submit", (event) => event.preventDefault());
$("download").addEventListener("click", download);
$("list").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) show(Number(button.dataset.place));
});
$("filter").addEventListener("change", () => {
  drawList();
  show(current !== null && isShown(current) ? current : firstShown());
});
addEventListener("keydown", onKey);
addEventListener("beforeunload", (event) => {
  if (!isKept && !isSaved) event.preventDefault();
});

$("tools").hidden = false;
drawList();
drawCount();
const open = data.samples.findIndex((_, place) => verdictOf(place) === "");
show(open < 0 ? firstShown() : open);
