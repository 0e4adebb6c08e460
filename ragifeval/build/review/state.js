// What the person made of each sample: kept in the browser, written to review.csv.

const EDITABLE = ["verdict", "question", "answer", "phrases", "note"];
const TEXTS = ["question", "answer", "phrases"];  // the edited ones
const VERDICTS = ["", "accept", "reject", "open"];
const changes = data.samples.map(() => ({}));
let isKept = true;  // by the browser, should the page be closed
let isSaved = true;  // in a downloaded file

// What was kept is about this very question, text and earlier verdict, or else about another.
const storageKey = (place) =>
  `ragifeval-review:${data.samples[place].print}:${data.samples[place].id}`;

/** Where a browser keeps nothing for a page (some do not for files), false. */
function kept(use) {
  try {
    use(localStorage);
  } catch {
    isKept = false;
  }
  return isKept;
}

/** Take up what was kept; what another program left there is passed over. */
function restoreChanges() {
  kept((storage) => data.samples.forEach((_, place) => {
    let found = {};
    try {
      found = Object(JSON.parse(storage.getItem(storageKey(place))));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    for (const name of EDITABLE) {
      if (typeof found[name] === "string" && found[name] !== original(place, name) &&
          (name !== "verdict" || VERDICTS.includes(found[name]))) {
        changes[place][name] = found[name];
      }
    }
  }));
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

function keep(place) {
  kept((storage) => {
    if (!Object.keys(changes[place]).length) storage.removeItem(storageKey(place));
    else storage.setItem(storageKey(place), JSON.stringify(changes[place]));
  });
}

/** The verdict; empty where the sample is open, whether or not an earlier one was taken back. */
function verdictOf(place) {
  const verdict = valueOf(place, "verdict");
  return verdict === "open" ? "" : verdict;
}

function isEdited(place) {
  return TEXTS.some((name) => name in changes[place]);
}

/** Whether it can be accepted: read_table() refuses a sample without either. */
function isWhole(place) {
  return ["question", "answer"].every((name) => valueOf(place, name).trim());
}

// The same as in table.py: a test holds the two together.
const TO_GUARD = /(^|[;,\t\n])([ "\u00a0\u3000]*)('*)(?=[=+\-@＝＋－＠])/g;

function cellOf(place, name) {
  const chunk = data.chunks[data.samples[place].of];
  const text = name in chunk ? chunk[name] : valueOf(place, name);
  return `"${text.replace(TO_GUARD, "$1$2'$3").replaceAll('"', '""')}"`;
}

/** review.csv, letter by letter as write_table() writes it where nothing was changed. */
function csvText() {
  const lines = [data.columns.map((name) => `"${name}"`)];
  data.samples.forEach((_, place) => lines.push(data.columns.map((name) => cellOf(place, name))));
  return "\ufeff" + lines.map((cells) => cells.join(",") + "\r\n").join("");
}
