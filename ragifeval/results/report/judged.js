// Only in pages of judged logs: beside an answer, what the judge says of it, and the choice of the
// questions by it.

const MOST_OPEN = 300;  // characters of a reason that is shown without being opened

function makeJudgedScore([name, value], answer) {
  const differs = answer.differs?.includes(name);
  const places = (String(value).split(".")[1] ?? "").length;
  return make(`li.badge.judged${differs ? ".differs" : ""}`,
    { title: differs ? texts.opinion_differs : null },
    make("span.name", {}, quoted(name)), " ", make("b", {}, number(value, places)),
    differs ? make("span.unheard", {}, ` ${texts.opinion_differs}`) : null);
}

function makeClaims(claims) {
  const names = { reference: texts.opinion_reference, candidate: texts.opinion_candidate,
    common: texts.opinion_common };
  const count = claims.map(([side, list]) => `${names[side]}: ${list.length}`).join(", ");
  return makeLazily("details.claims", say("opinion_claims", { count }),
    () => claims.map(([side, list]) => make("section.message", {}, make("p.reason", {}, names[side]),
      make("ul", {}, list.map((claim) => makeText("li", claim))))));
}

function makeOpinion(opinion) {
  const metric = quoted(opinion.metric);
  const parts = [];
  if (opinion.unjudged) {
    parts.push(make("p.no-answer", {},
      sayNodes("opinion_unjudged", { metric, reason: quoted(opinion.unjudged) })));
  }
  if (opinion.reason) {
    const title = sayNodes("opinion_reason", { metric: quoted(opinion.metric) });
    const reason = () => makeText("div.plain-text", opinion.reason);
    parts.push(opinion.reason.length > MOST_OPEN ? makeLazily("details.reason", title, reason)
      : [make("p.reason", {}, title), reason()]);
  }
  for (const doubt of opinion.doubts ?? []) {
    parts.push(make("p.doubt", {}, sayNodes("opinion_doubt", { doubt: quoted(doubt) })));
  }
  if (opinion.claims) parts.push(makeClaims(opinion.claims));
  return make("div.opinion", {}, parts);
}

const makeAnswerAlone = makeAnswer;
makeAnswer = (question, answer) => {
  const element = makeAnswerAlone(question, answer);
  if (answer.judged || answer.opinions) {
    element.lastElementChild.append(make("div.opinions", {}, make(data.runs.length > 1 ? "h5" : "h4", {}, texts.judged),
      answer.judged ? make("ul.badges", {},
        answer.judged.map((score) => makeJudgedScore(score, answer))) : null,
      (answer.opinions ?? []).map(makeOpinion)));
  }
  return element;
};

function findsFault(answer) {
  return (answer.judged ?? []).some(([name, value]) =>
    (name === "passing" || name === "faithfulness") && value < 1);
}

const JUDGED_POINTS = {
  "opinion_low": findsFault,
  "opinion_disagree": (answer) => Boolean(answer.differs),
  "opinion_missing": (answer) => (answer.opinions ?? []).some((opinion) => opinion.unjudged),
};
for (const [name, is] of Object.entries(JUDGED_POINTS)) {
  POINTS[name] = (question) => question.answers.flat().some(is);
}

const pointChoicesAlone = pointChoices;
pointChoices = () => [...pointChoicesAlone(), ...Object.keys(JUDGED_POINTS)
  .filter((name) => data.questions.some((question) => POINTS[name](question)))
  .map((name) => [name, texts[name]])];
