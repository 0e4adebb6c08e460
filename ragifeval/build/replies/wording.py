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
# What is said about a question and its answer, behind them.
ABOUT = (
    *("source", "evidence", "explanation", "rationale", "reasoning", "justification"),
    *("reference", "difficulty", "difficulty level", "confidence", "confidence level"),
    *("źródło", "wyjaśnienie", "uzasadnienie", "trudność", "poziom trudności", "stopień trudności"),
    *("pewność", "poziom pewności", "stopień pewności"),
    *("quelle", "erklärung", "erläuterung", "begründung", "schwierigkeit", "schwierigkeitsgrad"),
    *("konfidenz", "zuversicht"),
    *("fuente", "explicación", "justificación", "razonamiento", "dificultad"),
    *("nivel de dificultad", "confianza", "nivel de confianza"),
)
# All that stands beside a question and its answer, and ends either.
BESIDE = (
    *("output", "result", "context", "topic", "wynik", "kontekst", "temat"),
    *("ausgabe", "ergebnis", "kontext", "resultado", "salida", "contexto"),
    *ABOUT,
)
# The same by initials; looked for where no whole word is.
QUESTION_INITIALS = ("q", "p", "f")
ANSWER_INITIALS = ("a", "o", "r")
QUESTIONS = ("questions", "exam questions", "pytania", "fragen", "prüfungsfragen", "preguntas")
PHRASES = (
    *("phrases", "phrase", "key phrases", "short phrases", "facts", "list", "output", "answer"),
    *("frazy", "zwroty", "wyrażenia", "kluczowe frazy", "fakty", "lista", "odpowiedź", "wynik"),
    *("phrasen", "ausdrücke", "wendungen", "angaben", "fakten", "liste", "antwort", "ausgabe"),
    *("frases", "expresiones", "hechos", "datos", "respuesta", "resultado"),
)

_FRAME = r"^(?:[^\w\n]|_)*+"


def begins(*patterns: str) -> re.Pattern[str]:
    """What begins a line with one of these, behind any signs; a space stands for white space."""
    either = "|".join(patterns).replace(" ?", r"\s*+").replace(" ", r"\s++")
    return re.compile(rf"{_FRAME}(?:{either})", re.IGNORECASE | re.MULTILINE)


_REMARKS = begins(
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
_INTRODUCTION = begins(
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
    r"(?:\W|_)*+(?:none|nothing|n/?a|null|empty|(?:there are )?no(?: such)? phrases?"
    r"|(?:nie ma|brak)(?: takich)? fraz|brak|żadn[ea]|nic"
    r"|(?:es gibt )?keine?(?: (?:phrasen|angaben))?|nichts"
    r"|ningun[oa]s?(?: frase)?|no hay(?: ninguna)? frases?|nada)(?:\W|_)*+",
    re.IGNORECASE,
)


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
