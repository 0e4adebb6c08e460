// The sample that is looked at.

const $ = (id) => document.getElementById(id);
const VERDICT_NAMES = {
  "": texts.verdict_open, accept: texts.verdict_accept, reject: texts.verdict_reject };
let current = null;  // its place among all samples

function chunkText(place) {
  const chunk = data.chunks[data.samples[place].of];
  return chunk.whole ?? chunk.text;
}

/** An entry with where it stands and where it does not. */
function makeEntry(entry, words) {
  const isIn = (name) =>
    entry.some((phrase) => placesOf(wordsOf(phrase), words[name]).length);
  const complaints = [
    isIn("answer") ? null : texts.not_in_answer,
    isIn("text") ? null : texts.not_in_text,
    isIn("question") ? texts.in_question : null,
  ].filter((complaint) => complaint);
  const phrases = entry.flatMap((phrase, index) => [
    index ? ` ${texts.or} ` : null,
    make("q", { lang: $("answer").lang, dir: "auto" }, written(phrase))]);
  return make("li", {}, phrases, " ", complaints.length
    ? make("span.badge.none", {}, complaints.join(", "))
    : make("span.badge.full", {}, texts.in_both));
}

/** What follows from the texts; drawn anew as they are edited. */
function drawTexts() {
  const entries = entriesOf(valueOf(current, "phrases"));
  const texts = { question: valueOf(current, "question"), answer: valueOf(current, "answer"),
                  text: chunkText(current) };
  const words = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, wordsOf(text)]));
  $("question").replaceChildren(...written(texts.question).filter((node) => node !== null));
  if (!texts.question.trim()) $("question").append(texts.no_question);
  $("answer").replaceChildren(...markedNodes(texts.answer, words.answer, entries));
  $("text").replaceChildren(...markedNodes(texts.text, words.text, entries));
  $("phrases").replaceChildren(...entries.map((entry) => makeEntry(entry, words)));
  if (!entries.length) $("phrases").append(make("li", {}, make("span.badge.none", {}, texts.no_phrases)));
  $("edited").hidden = !isEdited(current);
  $("restore").disabled = !isEdited(current);
}

function drawVerdict() {
  const verdict = verdictOf(current);
  $("verdict").className = `badge ${{ "": "part", accept: "full", reject: "none" }[verdict]}`;
  $("verdict").textContent = VERDICT_NAMES[verdict];
  for (const name of ["accept", "reject"]) $(name).setAttribute("aria-pressed", verdict === name);
  $("reopen").disabled = verdict === "";
  $("message").textContent = "";
}

function drawSample() {
  const sample = data.samples[current];
  const chunk = data.chunks[sample.of];
  $("place").textContent = say("place", { place: current + 1, all: data.samples.length });
  $("name").replaceChildren(quoted(sample.id));
  $("refuse").hidden = sample.refuse !== "yes";
  const [, kind, number] = chunk.page.match(/^(row )?(\d+)$/) ?? [];
  const page = number && (kind ? say("row", { row: number }) : say("page", { page: number }));
  $("source").replaceChildren(quoted(chunk.file), page ? `, ${page}` : "");
  const ratings = (sample.ratings ?? "").split("\n").filter((line) => line);
  $("ratings").replaceChildren(...ratings.map((line) =>
    make("li", { dir: "auto" }, written(line))));
  $("ratings-title").hidden = !ratings.length;
  for (const name of [...TEXTS, "note"]) $(`edit-${name}`).value = valueOf(current, name);
  openEditor(false);
  drawTexts();
  drawVerdict();
}

function openEditor(isOpen) {
  $("editor").hidden = !isOpen;
  $("edit").setAttribute("aria-expanded", isOpen);
}
