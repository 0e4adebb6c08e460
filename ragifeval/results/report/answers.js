// One answer: marked in place, with its scores and with why it lost points.

const otherRule = data.matching === "substring" ? "words" : "substring";

/** What a mark says in words. */
function markTitle(mark) {
  const name = say(`mark_${mark.kind}_${mark.verdict}`);
  if (mark.kind === "cite") {
    return mark.about ? say("mark_document", { mark: name, about: mark.about })
                      : say("mark_nothing", { mark: name });
  }
  const title = mark.about ? say("mark_entry", { mark: name, about: mark.about }) : name;
  if (mark.reason) return `${title}: ${texts["reason_" + mark.reason]}`;
  return mark.rule && mark.verdict !== "unscored"
    ? `${title} (${say("found_only", { rule: texts["rule_" + mark.rule] })})` : title;
}

/** The answer in pieces; the last piece of each mark carries its sign, which CSS writes. */
function makeMarked(answer) {
  const marks = (answer.marks ?? []).map((place) => data.marks[place]);
  return answer.segments.map(([text, covering], index) => {
    if (!covering.length) return written(text);
    const following = new Set((answer.segments[index + 1] ?? ["", []])[1]);
    const classes = covering.map((mark) => {
      const end = following.has(mark) ? "" : ".end";
      return `${marks[mark].kind}.${marks[mark].verdict}${end}`;
    });
    const title = covering.map((mark) => markTitle(marks[mark])).join("\n");
    // Innermost: the text; one element around it for each mark that covers it.
    return classes.reduceRight(
      (inside, name, place) => {
        const reason = marks[covering[place]].reason;
        const sign = reason ? { "data-reason": texts["reason_" + reason] } : {};
        return [make(`mark.${name}`, { title, ...sign }, inside)];
      }, written(text));
  });
}

function makeBadge(index, answer, question) {
  const score = answer.scores[index];
  if (score === null || score === undefined) return null;
  const counts = question.conditions?.includes(index);
  const level = score === 1 ? "full" : score === 0 ? "none" : "part";
  const other = answer.others?.[index] ?? score;
  const beside = other === score ? "" : say("other_rule", {
    rule: texts["rule_" + otherRule], score: percent(other) });
  return make(`li.badge.${counts ? level : "aside"}`, {},
    make("span.name", {}, scoreName(data.keys[index])), " ", make("b", {}, percent(score)),
    beside ? [" ", make("span.other", {}, beside)] : null);
}

const FEW = 3;

/** Phrases: the first few, the others to be opened. */
function makePhrases(phrases, between) {
  const list = (some) => some.flatMap((phrase, index) => [
    index ? between : null, make("q", { lang: "pl" }, quoted(phrase))]);
  if (phrases.length <= FEW + 1) return list(phrases);
  return [...list(phrases.slice(0, FEW)), " ",
    makeLazily("details.others", say("other_phrases", { count: phrases.length - FEW }),
      () => make("p", {}, list(phrases.slice(FEW))))];
}

function makeLoss(loss) {
  const details = loss.details ?? [];
  if (loss.kind === "unsaid") {
    const reason = texts["reason_" + details[0]];
    return make("li", {}, sayNodes("loss_unsaid", { reason, details: makePhrases([details[1]], "") }));
  }
  let about = details.map(quoted);
  if (loss.kind === "missing") about = makePhrases(details, ` ${texts.or} `);
  else if (loss.kind === "excluded" || loss.kind === "offence") about = makePhrases(details, ", ");
  else if (details.length > 1) about = [`[${details[0]}] `, quoted(details[1])];
  const only = loss.rule
    ? [" ", make("span.other", {},
        `(${say("found_only", { rule: texts["rule_" + loss.rule] })})`)] : null;
  return make("li", {}, sayNodes("loss_" + loss.kind, { details: about }), only);
}

/** Tokens, seconds, and why the generation ended: what the log tells of them. */
function makeFacts(answer) {
  const facts = [];
  if (answer.tokens) {
    const [prompt, completion] = answer.tokens.map((count) => count === null ? "?" : number(count, 0));
    facts.push(make("li", { title: texts.tokens_title }, say("tokens", { prompt, completion })));
  }
  if (answer.seconds) {
    facts.push(make("li", {}, say("seconds", { seconds: number(answer.seconds, 2) })));
  }
  if (answer.finish) {
    const known = texts["finish_" + answer.finish];
    const isCut = isTruncated(answer);
    facts.push(make(isCut ? "li.warning" : "li", {},
      sayNodes("finish", { reason: known ?? quoted(answer.finish) })));
  }
  return facts.length ? make("ul.meta", {}, facts) : null;
}

function isTruncated(answer) {
  return ["length", "reasoning_unfinished", "content_filter"].includes(answer.finish);
}

/** Whether an answer lost points under the headline rule; of one condition, if one is given. */
function hasLost(answer, question, condition = null) {
  const conditions = condition === null ? question.conditions ?? [] : [condition];
  return Boolean(answer.scores) &&
    conditions.some((index) => answer.scores[index] !== null && answer.scores[index] < 1);
}

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

/** What the judge says of an answer. */
function makeOpinions(answer) {
  return make("div.opinions", {}, make(data.runs.length > 1 ? "h5" : "h4", {}, texts.judged),
    answer.judged ? make("ul.badges", {},
      answer.judged.map((score) => makeJudgedScore(score, answer))) : null,
    (answer.opinions ?? []).map(makeOpinion));
}

const LONG = 4000;

function makeAnswer(question, answer) {
  const parts = [];
  const aside = [];
  if (answer.scores) {
    const badges = data.keys.map((_, index) => makeBadge(index, answer, question));
    parts.push(make("ul.badges", {}, badges));
  }
  if (!answer.segments) {
    parts.push(make("p.no-answer", {}, make("b", {}, texts.no_answer),
      answer.error ? [": ", quoted(answer.error)] : null));
  } else if (answer.segments[0][0] === "") {
    parts.push(make("p.no-answer", {}, texts.empty_answer));
  } else {
    const text = make("div.answer-text", { lang: "pl", dir: "auto" }, makeMarked(answer));
    if (text.textContent.length > LONG) {
      text.classList.add("long");  // it scrolls by itself, and so must be within reach of the keys
      for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", texts.answer]]) {
        text.setAttribute(name, value);
      }
    }
    parts.push(text);
    if (answer.error) parts.push(make("p.no-answer", {}, quoted(answer.error)));
  }
  if (answer.losses) {
    aside.push(make("div.losses", {}, make(data.runs.length > 1 ? "h5" : "h4", {}, texts.losses),
      make("ul", {}, answer.losses.map(makeLoss))));
  } else if (answer.scores && (question.conditions ?? []).length) {
    aside.push(make("p.all-points", {}, texts.all_points));
  }
  if (answer.reasoning) {
    parts.push(makeLazily("details.reasoning", texts.reasoning,
      () => makeText("div.plain-text", answer.reasoning)));
  }
  aside.push(makeFacts(answer));
  if (answer.judged || answer.opinions) aside.push(makeOpinions(answer));
  return make("div.answer", {}, make("div.said", {}, parts), make("div.aside", {}, aside));
}
