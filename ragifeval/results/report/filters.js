// Which questions are shown.

/** Lower case, composed, without soft hyphens and the like. */
function plain(text) {
  return text.normalize("NFC").toLowerCase().replace(/\p{Cf}/gu, "");
}

/** Without the marks of Polish letters too: whoever types "zolw" finds "żółw". */
function bare(text) {
  return plain(text).normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ł", "l");
}

// Form -> what is searched of each question, as far as it is made.
const searched = new Map([[plain, []], [bare, []]]);

function searchedText(index, form) {
  const { id, text, answers } = data.questions[index];
  return searched.get(form)[index] ??= form([
    id, data.strings[text],
    ...answers.flat().map((answer) => (answer.segments ?? []).map(([part]) => part).join("")),
  ].join("\n"));
}

/** Make what is searched while nothing else is to be done, so that the first search is no slower. */
function prepareSearch(from = 0) {
  const end = performance.now() + 10;
  let index = from;
  while (index < data.questions.length && performance.now() < end) {
    for (const form of searched.keys()) searchedText(index, form);
    index += 1;
  }
  if (index < data.questions.length) setTimeout(prepareSearch, 0, index);
}

/** Whether a question holds all words; letters with marks are found only as they are. */
function isFound(question, words) {
  return words.every((word) => {
    const form = bare(word) === plain(word) ? bare : plain;
    return searchedText(question, form).includes(form(word));
  });
}

function totalOf(answers, question, condition) {
  const conditions = condition === null ? question.conditions ?? [] : [condition];
  return JSON.stringify((answers ?? []).map((answer) =>
    conditions.map((index) => answer.scores?.[index] ?? null)));
}

function findsFault(answer) {
  return (answer.judged ?? []).some(([name, value]) =>
    (name === "passing" || name === "faithfulness") && value < 1);
}

function isUnjudged(answer) {
  return (answer.opinions ?? []).some((opinion) => opinion.unjudged);
}

const POINTS = {
  all: () => true,
  lost: (question, condition) =>
    question.answers.flat().some((answer) => hasLost(answer, question, condition)),
  rules: (question) => question.answers.flat().some((answer) => answer.others),
  differ: (question, condition) =>
    new Set(data.runs.map((_, run) => totalOf(question.answers[run], question, condition))).size > 1,
  failed: (question) =>
    data.runs.some((_, run) => (question.answers[run] ?? []).every((answer) => !answer.segments)),
  truncated: (question) => question.answers.flat().some(isTruncated),
  opinion_low: (question) => question.answers.flat().some(findsFault),
  opinion_disagree: (question) => question.answers.flat().some((answer) => answer.differs),
  opinion_missing: (question) => question.answers.flat().some(isUnjudged),
};
const TOLD_WHERE_MET = ["rules", "failed", "truncated", "opinion_low", "opinion_disagree", "opinion_missing"];

/** What `points` may be chosen to be: [value, its name]. */
function pointChoices() {
  const several = data.runs.length > 1;
  const choices = [["all", texts.points_all], ["lost", texts.points_lost]];
  if (several) {
    data.runs.forEach((run, index) => choices.push([`lost-${index}`, say("points_lost_by", { run })]));
    choices.push(["differ", texts.points_differ]);
  }
  for (const name of TOLD_WHERE_MET) {
    if (data.questions.some((question) => POINTS[name](question, null))) {
      choices.push([name, texts["points_" + name]]);
    }
  }
  return choices;
}

function hasPoints(points, question, condition) {
  if (points.startsWith("lost-")) {
    const answers = question.answers[Number(points.slice(5))] ?? [];
    return answers.some((answer) => hasLost(answer, question, condition));
  }
  return POINTS[points](question, condition);
}

/** The places of the questions that match, in an order; indices and names are null for all. */
function matching(filters) {
  const words = plain(filters.text).split(/\s+/).filter((word) => word !== "");
  return ordered(data.questions.flatMap((question, index) =>
    (filters.category === null || question.category === filters.category) &&
    (filters.condition === null || question.conditions?.includes(filters.condition)) &&
    (!filters.kind || question.kind?.includes(filters.kind)) &&
    (!filters.variant || (question.variant ?? "core") === filters.variant) &&
    hasPoints(filters.points, question, filters.condition) &&
    isFound(index, words) ? [index] : []), filters.order);
}
