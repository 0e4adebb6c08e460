// Where the phrases stand in a text: as whole words, in whatever form the lemmas know.

const WORDS = /[\p{L}\p{N}\p{M}\u00ad]+/gu;

/** The words of a text: [lemma, start, end] each. */
function wordsOf(text) {
  return [...text.matchAll(WORDS)].map((match) => {
    const word = match[0].normalize("NFC").replaceAll("\u00ad", "").toLowerCase();
    return [Object.hasOwn(data.lemmas, word) ? data.lemmas[word] : word,
            match.index, match.index + match[0].length];
  });
}

/** The places [start, end] of a phrase, given as words, in a text. */
function placesOf(phrase, words) {
  if (!phrase.length) return [];
  return words.flatMap((_, start) =>
    phrase.every(([lemma], step) => words[start + step]?.[0] === lemma)
      ? [[words[start][1], words[start + phrase.length - 1][2]]] : []);
}

/** The entries of a cell of phrases: lists of alternatives; parse_phrases() reads it the same way. */
function entriesOf(cell) {
  return cell.split("\n").map((line) => line.split(/(?<!\\)\|/)
    .map((part) => part.replaceAll("\\|", "|").trim()).filter((part) => part))
    .filter((entry) => entry.length);
}

/** A text as nodes, the phrases of all entries marked in it. */
function markedNodes(text, words, entries) {
  const places = entries.flat().flatMap((phrase) => placesOf(wordsOf(phrase), words))
    .sort(([one], [other]) => one - other);
  const nodes = [];
  let done = 0;
  for (const [start, end] of places) {
    if (end <= done) continue;
    const from = Math.max(start, done);  // phrases may overlap, elements may not
    nodes.push(written(text.slice(done, from)),
      make("mark.include.right", {}, written(text.slice(from, end))));
    done = end;
  }
  return [nodes, written(text.slice(done))].flat(Infinity).filter((node) => node !== null);
}
