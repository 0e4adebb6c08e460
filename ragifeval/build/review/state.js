// What the person made of each sample: kept in the browser, written to review.csv.

const EDITABLE = ["verdict", "question", "answer", "phrases", "note"];
const TEXTS = ["question", "answer", "phrases"];  // the edited ones
const VERDICTS = ["", "accept", "reject"];
const changes = data.samples.map(() => ({}));
let isKept = true;  // by the browser, should the page be closed
let isSaved = true;  // in a downloaded file

const storageKey = (place) => `ragifeval-review:${data.build}:${data.samples[place].id}`;

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
    for (const name of EDITABLE) {
      if (typeof found[name] === "string") changes[place][name] = found[name];
    }
    if (!VERDICTS.includes(changes[place].verdict)) delete changes[place].verdict;
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
  kept((storage) => {
    if (Object.keys(changes[place]).length) {
      storage.setItem(storageKey(place), JSON.stringify(changes[place]));
    } else storage.removeItem(storageKey(place));
  });
}

function isEdited(place) {
  return TEXTS.some((name) => name in changes[place]);
}

/** Whether it can be accepted: read_verdicts() refuses a sample without either. */
function isWhole(place) {
  return ["question", "answer"].every((name) => valueOf(place, name).trim());
}

// The same as in review_cells.py: a test holds the two together.
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
