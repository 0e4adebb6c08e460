// The list as a whole: its order, the grid of questions and models, and its download.

/** The mean of the conditions of an answer that count; null where there is no answer. */
function totalOfAnswer(question, answer) {
  if (!answer.scores || !question.conditions?.length) return null;
  return question.conditions.reduce((sum, index) => sum + answer.scores[index], 0) /
    question.conditions.length;
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** Run -> the mean total of its answers to a question; null for none. */
function totalsOf(question) {
  question.totals ??= data.runs.map((_, run) =>
    mean((question.answers[run] ?? []).map((answer) => totalOfAnswer(question, answer))
      .filter((total) => total !== null)));
  return question.totals;
}

function longest(question, size) {
  return Math.max(0, ...question.answers.flat().map(size));
}

// Order -> what a question is ordered by, the smallest first.
const ORDERS = {
  data: null,
  score: (question) => mean(totalsOf(question).filter((total) => total !== null)) ?? 2,
  differ: (question) => {
    const totals = totalsOf(question).filter((total) => total !== null);
    return totals.length ? Math.min(...totals) - Math.max(...totals) : 1;
  },
  length: (question) => -longest(question, (answer) =>
    (answer.segments ?? []).reduce((sum, [text]) => sum + text.length, 0)),
  time: (question) => -longest(question, (answer) => answer.seconds ?? 0),
};
const orderKeys = new Map();

/** Places of questions in an order. */
function ordered(places, order) {
  if (!ORDERS[order]) return places;
  if (!orderKeys.has(order)) orderKeys.set(order, data.questions.map(ORDERS[order]));
  const keys = orderKeys.get(order);
  return [...places].sort((a, b) => keys[a] - keys[b] || a - b);
}

/** The address of a question's card. */
function linkTo(question) {
  return "#" + new URLSearchParams({ at: question.id });
}

const SIGNS = { full: "✓", part: "◐", none: "✗" };

/** A row of the grid. */
function makeGridRow(index) {
  const question = data.questions[index];
  return make("tr", { "data-index": index },
    make("th", { scope: "row" }, make("a", { href: linkTo(question) }, quoted(question.id)), " ",
      make("span.hint", { lang: "pl" }, written(data.strings[question.text].slice(0, 90)))),
    totalsOf(question).map((total, run) => {
      const level = total === null ? "empty" : total === 1 ? "full" : total === 0 ? "none" : "part";
      const text = total === null ? "–" : `${SIGNS[level]} ${number(total * 100, 0)}`;
      return make(`td.${level}`, { title: data.runs[run] }, text);
    }));
}

function makeGrid() {
  const columns = data.runs.map((run) => make("th", { scope: "col" }, quoted(run)));
  return make("div.scroll", { tabindex: "0", role: "region", "aria-label": texts.grid_name },
    make("table.grid-table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, texts.question), columns)),
      make("tbody", {})));
}

/** One object for each answer of the questions that are shown. */
function* records(places) {
  for (const index of places) {
    const question = data.questions[index];
    for (const [run, answers] of question.answers.entries()) {
      for (const answer of answers ?? []) {
        const scores = Object.fromEntries(data.keys.map((key, place) =>
          [key, answer.scores?.[place] ?? null]));
        yield {
          id: question.id, variant: question.variant ?? "core",
          category: data.categories[question.category] ?? null,
          kind: (question.kind ?? []).join(" "), model: data.runs[run],
          question: data.strings[question.text],
          answer: answer.segments ? answer.segments.map(([text]) => text).join("") : null,
          total: totalOfAnswer(question, answer), ...scores,
          seconds: answer.seconds ?? null, prompt_tokens: answer.tokens?.[0] ?? null,
          completion_tokens: answer.tokens?.[1] ?? null,
          finish_reason: answer.finish ?? null, error: answer.error ?? null,
        };
      }
    }
  }
}

/** A cell that no spreadsheet takes for a formula. */
function csvCell(value) {
  if (value === null) return "";
  const text = typeof value === "string" && /^\s*[=+\-@]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a download: "csv" or "jsonl". */
function exported(kind, places) {
  const rows = [...records(places)];
  if (kind === "jsonl") return rows.map((row) => JSON.stringify(row) + "\n").join("");
  const lines = [Object.keys(rows[0] ?? { id: null }), ...rows.map((row) => Object.values(row))];
  return "\ufeff" + lines.map((cells) => cells.map(csvCell).join(",") + "\r\n").join("");
}

function download(kind, places) {
  const type = kind === "csv" ? "text/csv" : "application/jsonl";
  const url = URL.createObjectURL(new Blob([exported(kind, places)], { type }));
  make("a", { href: url, download: `ragifeval.${kind}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The heads of the leaderboard become buttons that sort it. */
function sortLeaderboard() {
  const table = document.querySelector(".leaderboard");
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const name = head.textContent;
    const button = make("button", { type: "button", title: head.title || null }, name);
    button.setAttribute("aria-label", say("sort_by", { name }));
    button.addEventListener("click", () => {
      const rises = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rises ? "ascending" : "descending");
      const value = (row) => row.cells[column].dataset.value;
      const compare = (a, b) => column === 1 ? value(a).localeCompare(value(b)) : value(a) - value(b);
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) =>
        rises ? compare(a, b) : compare(b, a)));
    });
    head.replaceChildren(button);
  });
}
