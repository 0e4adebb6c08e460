// One question: its text, what every run made of it, and, to be opened, what the models saw.

/** The runs that saw a question in one of its views; "" where all saw the same. */
function namesOf(question, view) {
  if (question.views.length === 1) return "";
  const runs = data.runs.filter((_, run) =>
    (question.answers[run] ?? []).some((answer) => answer.view === view));
  return runs.join(", ");
}

function makeDocuments(question, view, number) {
  const answers = question.answers.map((found) =>
    (found ?? []).filter((answer) => answer.view === number));
  return view.context.map((index, position) => {
    const shown = data.documents[index];
    const citing = data.runs.filter((_, run) =>
      answers[run]?.some((answer) => answer.cited?.includes(position)));
    const isExpected = question.expected?.includes(index);
    const tags = [];
    if (isExpected) tags.push(make("span.tag.expected", {}, texts.expected));
    if (citing.length) {
      const name = data.runs.length > 1
        ? sayNodes("cited_by", { runs: quoted(citing.join(", ")) }) : texts.cited;
      tags.push(make(`span.tag.${isExpected || !question.expected ? "cited" : "miscited"}`, {}, name));
    }
    return make("section.document", {},
      make("h4", {}, `[${position}] `, quoted(shown.title ?? shown.id), " ",
        shown.title ? make("code", {}, quoted(shown.id)) : null, tags.map((tag) => [" ", tag])),
      makeText("div.plain-text", data.strings[shown.text]),
      shown.source ? make("p.source", {}, sayNodes("source", { source: quoted(shown.source) })) : null);
  });
}

/** Which documents are to be cited, by their numbers. */
function makeExpected(question, view) {
  const positions = view.context.flatMap((index, position) =>
    question.expected?.includes(index) ? [`[${position}]`] : []);
  return positions.length === 0 ? null : [" ",
    make("span.hint", {}, say("documents_expected", { positions: positions.join(" ") }))];
}

function makePrompt(view) {
  return view.prompt.map(([role, pieces]) => make("section.message", {},
    make("h4", {}, texts["role_" + role] ?? role),
    makeText("pre", pieces.map((piece) => data.strings[piece]).join(""))));
}

function makeSources(question) {
  const parts = question.views.flatMap((view, number) => {
    const runs = quoted(namesOf(question, number));
    const isOne = question.views.length === 1;
    return [
      makeLazily("details.documents",
        [isOne ? say("documents", { count: view.context.length }) : sayNodes("documents_as", { runs }),
          makeExpected(question, view)],
        () => make("div.grid", {}, makeDocuments(question, view, number))),
      makeLazily("details.prompt",
        isOne ? texts.prompt : sayNodes("prompt_as", { runs: runs.cloneNode(true) }),
        () => makePrompt(view)),
    ];
  });
  if (question.reference) {
    parts.push(makeLazily("details.reference", texts.reference,
      () => makeText("div.plain-text", question.reference)));
  }
  return make("div.sources", {}, parts);
}

function makeRun(question, run) {
  const answers = question.answers[run] ?? [];
  return make("section.run-answers", {},
    data.runs.length > 1 ? make("h4.run-name", {}, quoted(data.runs[run])) : null,
    answers.length ? answers.map((answer) => makeAnswer(question, answer))
                   : make("p.no-answer", {}, texts.not_in_log));
}

/** The card of a question. */
function makeQuestion(index) {
  const question = data.questions[index];
  const labelled = `question-${index}`;
  const category = question.category === undefined ? null
    : make("span", {}, quoted(data.categories[question.category]));
  const kinds = (question.kind ?? []).map((kind) => make("span.kind", {}, quoted(kind)));
  return make("article.question", { tabindex: "-1", "aria-labelledby": labelled, "data-index": index },
    make("header", {},
      make("p.about", {}, make("a", { href: linkTo(question), title: texts.link }, make("code", {}, quoted(question.id))),
        category, kinds, question.variant ? make("span.kind", {}, quoted(question.variant)) : null),
      make("h3", { id: labelled, lang: "pl", dir: "auto" }, written(data.strings[question.text]))),
    make(`div.runs${data.runs.length > 1 ? ".several" : ""}`, {},
      data.runs.map((_, run) => makeRun(question, run))),
    makeSources(question));
}
