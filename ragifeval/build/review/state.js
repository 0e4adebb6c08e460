// What the person made of each sample: kept in the browser, written to review.csv.

const EDITABLE = ["verdict", "question", "answer", "phrases", "note"];
const TEXTS = ["question", "answer", "phrases"];  // the edited ones
const VERDICTS = ["", "accept", "reject"];
const changes = data.samples.map(() => ({}));
// Prints of the states that the person's word is later than, the last known one at the end: what
// the page was made with, and what was downloaded, as it may have been applied.
const earlier = data.samples.map((_, place) => [printOf((name) => original(place, name))]);
let isKept = true;  // by the browser, should the page be closed
let isSaved = true;  // in a downloaded file

function storageKey(place) {
  const sample = data.samples[place];
  return `ragifeval-review:${data.chunks[sample.of].key}:${sample.id}`;
}

/** A number for the verdict, the texts and the note, however they are spaced (FNV-1a). */
function printOf(valueNamed) {
  const spaced = (text) => text.replace(/\s+/g, " ").trim();
  const state = EDITABLE.map((name) => (name === "phrases"
    ? entriesOf(valueNamed(name)).map((entry) => entry.map(spaced)) : spaced(valueNamed(name))));
  let print = 0x811c9dc5;
  for (const unit of JSON.stringify(state)) {
    print = Math.imul(print ^ unit.codePointAt(0), 0x01000193);
  }
  return print;
}

/** Where a browser keeps nothing for a page (some do not for files), false. */
function kept(use) {
  try {
    use(localStorage);
  } catch {
    isKept = false;
  }
  return isKept;
}

/** Take up what was kept; what is no change of ours is passed over. */
function restoreChanges() {
  kept((storage) => data.samples.forEach((_, place) => {
    const text = storage.getItem(storageKey(place));
    if (text === null) return;
    let found = {};
    try {
      found = Object(JSON.parse(text));
    } catch {
      return;  // another's
    }
    if (Array.isArray(found.earlier)) takeUp(storage, place, found);
  }));
}

/** Take up the person's word on a sample, unless a later one has been applied. */
function takeUp(storage, place, found) {
  const [made] = earlier[place];
  const values = {};
  for (const name of EDITABLE) {
    values[name] = typeof found[name] === "string" ? found[name] : original(place, name);
  }
  if (!VERDICTS.includes(values.verdict)) return;
  const isLater = found.earlier.includes(made);
  const isApplied = printOf((name) => values[name]) === made;
  // Taken back after a download, a verdict is what the page was made with, and yet news.
  if (isApplied && (!isLater || found.earlier.at(-1) === made)) {
    storage.removeItem(storageKey(place));
  } else if (isLater) {
    earlier[place] = found.earlier;
    for (const name of EDITABLE) {
      if (values[name] !== original(place, name)) changes[place][name] = values[name];
    }
  }
}

function original(place, name) {
  return data.samples[place][name] ?? "";
}

function valueOf(place, name) {
  return changes[place][name] ?? original(place, name);
}

function change(place, name, value) {
  if (value === original(place, name)) delete changes[place][name];
  else changes[place][name] = value;
  isSaved = false;
  keep(place);
}

/** Keep all five values: a page that is made later may be made with others. */
function keep(place) {
  kept((storage) => {
    if (Object.keys(changes[place]).length || earlier[place].length > 1) {
      const values = EDITABLE.map((name) => [name, valueOf(place, name)]);
      const word = { earlier: earlier[place], ...Object.fromEntries(values) };
      storage.setItem(storageKey(place), JSON.stringify(word));
    } else storage.removeItem(storageKey(place));
  });
}

/** Note that what is downloaded may be applied: a page made with it knows nothing newer. */
function noteDownload() {
  isSaved = true;
  data.samples.forEach((_, place) => {
    const print = printOf((name) => valueOf(place, name));
    if (earlier[place].at(-1) === print) return;
    earlier[place] = [...earlier[place].filter((one) => one !== print), print];
    keep(place);
  });
}

function isEdited(place) {
  return TEXTS.some((name) => name in changes[place]);
}

/** Whether it can be accepted: read_verdicts() refuses a sample without either. */
function isWhole(place) {
  return ["question", "answer"].every((name) => valueOf(place, name).trim());
}

// The same as in cells.py: a test holds the two together.
const TO_GUARD = /(^|[;,\t\n])([ "\u00a0\u3000]*)('*)(?=[=+\-@＝＋－＠])/g;

function cellOf(place, name) {
  const chunk = data.chunks[data.samples[place].of];
  const text = name in chunk ? chunk[name] : valueOf(place, name);
  return `"${text.replace(TO_GUARD, "$1$2'$3").replaceAll('"', '""')}"`;
}

/** review.csv, letter by letter as write_review_csv() writes it where nothing was changed. */
function csvText() {
  const lines = [data.columns.map((name) => `"${name}"`)];
  data.samples.forEach((_, place) => lines.push(data.columns.map((name) => cellOf(place, name))));
  return "\ufeff" + lines.map((cells) => cells.join(",") + "\r\n").join("");
}
