"""What models call the parts of a reply, and what they say besides, in four languages."""

import re

QUESTION = (
    *("question", "factoid question", "factual question", "fact question", "your question"),
    *("generated question", "exam question", "query"),
    *("pytanie", "pytanie o fakt", "pytanie o fakty", "pytanie faktograficzne", "twoje pytanie"),
    *("pytanie faktyczne", "treść pytania", "wygenerowane pytanie", "pytanie egzaminacyjne"),
    *("frage", "faktenfrage", "faktfrage", "ihre frage", "prüfungsfrage", "fragestellung"),
    *("pregunta", "pregunta factual", "pregunta fáctica", "pregunta concreta", "su pregunta"),
    *("pregunta de hecho", "tu pregunta", "pregunta de examen"),
)
ANSWER = (
    *("answer", "your answer", "short answer", "correct answer", "factoid answer", "final answer"),
    *("odpowiedź", "odpowiedz", "twoja odpowiedź", "krótka odpowiedź", "poprawna odpowiedź"),
    *("prawidłowa odpowiedź", "odpowiedź końcowa"),
    *("antwort", "ihre antwort", "kurze antwort", "richtige antwort", "kurzantwort"),
    *("respuesta", "su respuesta", "tu respuesta", "respuesta corta", "respuesta correcta"),
    *("respuesta breve",),
)
# What stands beside a question and its answer, and ends either.
BESIDE = (
    *("output", "result", "context", "source", "evidence", "explanation", "rationale"),
    *("reasoning", "justification", "difficulty", "topic", "reference"),
    *("wynik", "kontekst", "źródło", "wyjaśnienie", "uzasadnienie", "poziom trudności", "temat"),
    *("ausgabe", "ergebnis", "kontext", "quelle", "erklärung", "begründung", "schwierigkeit"),
    *("resultado", "salida", "contexto", "fuente", "explicación", "justificación", "dificultad"),
)
# The same by initials; looked for where no whole word is.
QUESTION_INITIALS = ("q", "p", "f")
ANSWER_INITIALS = ("a", "o", "r")
QUESTIONS = ("questions", "exam questions", "pytania", "fragen", "prüfungsfragen", "preguntas")
PHRASES = (
    *("phrases", "phrase", "key phrases", "short phrases", "facts", "list", "output", "answer"),
    *("frazy", "zwroty", "wyrażenia", "kluczowe frazy", "fakty", "lista", "odpowiedź", "wynik"),
    *("phrasen", "ausdrücke", "wendungen", "fakten", "liste", "antwort", "ausgabe"),
    *("frases", "expresiones", "hechos", "datos", "respuesta", "resultado"),
)

_FRAME = r"^(?:[^\w\n]|_)*+"


def _begins(*patterns: str) -> re.Pattern[str]:
    """What begins a line with one of these, behind any signs; a space stands for white space."""
    either = "|".join(patterns).replace(" ?", r"\s*").replace(" ", r"\s+")
    return re.compile(rf"{_FRAME}(?:{either})", re.IGNORECASE | re.MULTILINE)


_TEXT_EN = r"(?:the|this)(?: \w+)? (?:context|text|passage|document|excerpt|information)"
_SAYS_EN = r"(?:contain|mention|provide|specify|state|say|include|give|answer|indicate|tell)"
_TEXT_PL = r"(?:kontek[sś]\w*|tek[sś]\w*|fragmen\w*|dokumen\w*|materia\w*)"
_TEXT_DE = r"(?:text|kontext|auszug|abschnitt|dokument|textauszug)"
_SAYS_DE = r"(?:enthält|nennt|gibt|macht|erwähnt|sagt|beantwortet|liefert|geht)"
_TEXT_ES = r"(?:contexto|texto|fragmento|documento|pasaje)"
_SAYS_ES = r"(?:contiene|menciona|indica|especifica|proporciona|dice|incluye|ofrece|señala|da)\b"

# Only what no answer to a question about facts begins with: "Nie można przenieść urlopu" is one.
_REFUSALS = _begins(
    r"(?:i ?['’]?m|i am) (?:sorry|unable|not able|afraid)",
    r"i (?:cannot|can not|can['’]t|could ?n[o'’]t|do not|do ?n['’]t|won['’]t|apologi[sz]e)\b",
    r"i could not\b",
    r"(?:we|you) (?:cannot|can['’]t) (?:answer|determine|tell)",
    r"(?:sorry|apologies)\b",
    r"unfortunately,? (?:i|there|it|the \w+ (?:context|text)|the (?:context|text|document))\b",
    r"as an ai\b",
    rf"{_TEXT_EN}(?: \w+)? (?:does|do) ?(?:not|n['’]t) {_SAYS_EN}",
    rf"(?:it|this) is ?(?:not|n['’]t) (?:\w+ )?(?:in|by|from) {_TEXT_EN}",
    rf"(?:based on|according to|from) {_TEXT_EN}[^.\n]{{0,40}}(?:cannot|not possible|no answer)",
    r"there is (?:no|not enough|insufficient) information",
    r"(?:no answer|no question|not (?:specified|mentioned|stated|given|found)|n/a)\W*$",
    r"nie (?:mogę|jestem w stanie|potrafię|wiem|udało mi się)\b",
    r"(?:przepraszam|przykro mi)\b",
    rf"niestety,? (?:nie (?:mogę|jestem|da się|udało)|\w* ?{_TEXT_PL}|w \w* ?{_TEXT_PL}|brak)",
    r"jako (?:model|sztuczna|asystent|ai\b)",
    rf"(?:\w+ )?{_TEXT_PL} nie (?:zawier\w+|poda\w+|określa\w*|wspomina\w*|mówi\w*|wskazuj\w+)",
    rf"(?:w|na podstawie) (?:\w+ )?{_TEXT_PL} (?:brak|nie (?:ma|poda|wsp|znal|moż|da się))",
    r"nie (?:można|da się) (?:\w+ )?(?:odpowiedzieć|udzielić odpowiedzi|sformułować|ustalić)",
    r"(?:brak (?:odpowiedzi|pytania|informacji|danych)|nie dotyczy|nie podano)\W*$",
    rf"brak informacji (?:\w+ ){{0,6}}w (?:\w+ )?{_TEXT_PL}",
    r"(?:es )?tut mir (?:sehr )?leid\b",
    r"(?:entschuldigung|ich entschuldige)\b",
    r"ich (?:kann|konnte|bin nicht|weiß (?:es )?nicht|habe keine)\b",
    rf"leider (?:kann|ist|gibt|lässt|enthält|geht|(?:\w+ ){{1,2}}{_TEXT_DE})",
    r"als (?:ki|sprachmodell)\b",
    rf"(?:der|dieser)(?: \w+)? {_TEXT_DE} {_SAYS_DE}(?: \w+){{0,4}} (?:nicht|keine\w*)\b",
    rf"(?:im|in dem|aus dem)(?: \w+)? {_TEXT_DE}(?: \w+){{1,4}} (?:nicht|keine\w*)\b",
    r"(?:keine (?:antwort|frage|angaben?|informationen?)|nicht (?:angegeben|erwähnt|bekannt))\W*$",
    r"(?:lo siento|lo lamento|lamentablemente|disculpe)\b",
    r"no (?:puedo|he podido|tengo|sé|me es posible|soy capaz)\b",
    r"no (?:es posible|se puede) (?:responder|contestar|determinar|formular)",
    r"como (?:modelo|una? (?:ia|inteligencia))\b",
    rf"(?:el|este)(?: \w+)? {_TEXT_ES}(?: \w+)? no (?:lo |la )?{_SAYS_ES}",
    rf"en (?:el|este) {_TEXT_ES}(?: \w+)? no (?:se|hay|aparece|figura)\b",
    r"no hay (?:suficiente )?información",
    r"(?:sin respuesta|sin pregunta|no (?:se )?(?:especifica|menciona|indica)\w*)\W*$",
)

_REMARKS = _begins(
    r"(?:please )?notes?\b ?(?:that\b|[:：])",
    r"(?:i hope|hope (?:this|that)|let me know|feel free|if you (?:need|want|have|would))\b",
    r"(?:would you like|do you want|shall i) (?:me|more|another|to)\b",
    r"(?:this|these|the) (?:factoid |above )?(?:questions?|answers?) (?:is|are|was|can|cover|test)",
    r"(?:uwaga|uwagi|dopisek) ?[:：]",
    r"(?:mam nadzieję|daj(?:cie)? (?:mi )?znać|proszę dać znać|chętnie)\b",
    r"(?:jeśli|jeżeli|gdyby) \w+(?: \w+){0,2} (?:więcej|innych|kolejn\w+|pyta\w+|pomocy|inne)\b",
    r"czy (?:chcesz|chciał\w*|mam)\b[^\n]{0,80}(?:pyta[nń]|odpowiedzi)",
    r"(?:hinweis|anmerkung|notiz) ?[:：]",
    r"(?:ich hoffe|lassen sie mich|gerne? (?:kann|erstelle))\b",
    r"(?:falls|wenn) sie (?:weitere|noch|mehr|andere|fragen)\b",
    r"(?:möchten sie|soll ich|brauchen sie)\b[^\n]{0,80}frage",
    r"(?:nota|observación|aclaración) ?[:：]",
    r"(?:espero que|avíseme|no dude en)\b",
    r"si (?:necesitas?|deseas?|quieres?|tienes?|requiere) (?:más|otr\w+|algun\w+|que)\b",
    r"¿?(?:desea|quiere|le gustaría)\b[^\n]{0,80}pregunta",
)
_RULE = re.compile(r"^[ \t]*+(?:```|(?:[-*_=~][ \t]*+){3,}$)", re.MULTILINE)
# Of the line before what was asked for: "Here are 3 questions:".
_INTRODUCTION = _begins(
    r"(?:sure|certainly|of course|absolutely|okay|ok|here (?:is|are)|here['’]s|below|based on)\b",
    r"(?:the following|following)\b",
    r"(?:oto|jasne|oczywiście|pewnie|proszę|poniżej|na podstawie)\b",
    r"(?:hier|gerne?|natürlich|selbstverständlich|klar|im folgenden|nachfolgend|basierend auf)\b",
    r"(?:aquí|claro|por supuesto|a continuación|con mucho gusto|según|estas? son)\b",
)
_IN_BRACKETS = re.compile(r"[(\[<{][^()\[\]<>{}\n]*+[)\]>}]\W*+|[\W_]*+")
_SHOWN = re.compile(
    r"\b(?:question|answer|pytani[ea]|odpowied\w+|\w*frage|antwort|pregunta|respuesta)\b|^[\W_]*$",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"(?:none|nothing|n/?a|null|empty|no phrases?|brak(?: fraz)?|żadn[ea]|nic|keine?(?: phrasen)?"
    r"|nichts|ningun[oa]s?|nada)\W*+",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a reply, or an answer in it, begins by saying that there is none."""
    return _REFUSALS.match(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether this is what the prompt showed in place of a question or an answer, or nothing."""
    return _IN_BRACKETS.fullmatch(text) is not None and _SHOWN.search(text) is not None


def is_nothing(text: str) -> bool:
    """Whether this is said in place of a list that has no items."""
    return _NOTHING.fullmatch(text) is not None


def is_introduction(line: str) -> bool:
    """Whether a line only announces what follows."""
    return line.rstrip(" *_").endswith((":", "：")) and _INTRODUCTION.match(line) is not None


def is_remark(line: str) -> bool:
    """Whether a line speaks of the reply, or offers more of it."""
    return _REMARKS.match(line) is not None


def without_remarks(text: str) -> str:
    """The first line, and all lines up to one that is a remark, a rule or the end of a fence."""
    second = text.find("\n") + 1
    cuts = [cut for pattern in (_REMARKS, _RULE) if (cut := pattern.search(text, second))]
    if not second or not cuts:
        return text
    return text[: min(cut.start() for cut in cuts)].rstrip()
