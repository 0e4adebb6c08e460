"""How models decline to ask or to answer, or say that a text holds no answer."""

import re

from ragifeval.build.replies.wording import begins

# A "text" is the one that was given. A "document" may be what the question is about, and one that
# bears no signature is a fact: so it must be said not to hold an answer, or information.
_TEXT_EN = (
    r"(?:(?:the|this)(?: \w+)? )?(?:context|text|excerpt)"
    r"(?: (?:provided|given|above|itself|alone))?"
)
_FILE_EN = r"(?:the|this)(?: \w+)? (?:passage|document|information)(?: (?:provided|given|above))?"
_IN_EN = rf"(?:in|by|from) (?:{_TEXT_EN}|{_FILE_EN})"
_NOT_EN = r"(?: (?:\w+ly|also|just))? (?:does|do) ?(?:not|n['’]t)(?: \w+ly)?"
_SAYS_EN = r"(?:mention|specify|state|say|answer|indicate|tell|explain)"
_HOLDS_EN = r"(?:contain|provide|include|give|offer|have)"
_INFO_EN = r"(?: \w+){0,3} (?:answers?|information|details?|mention|indication)\b"

_TEXT_PL = r"(?:(?:kon)?tek(?:st(?:u|em)?|[sś]cie)|fragmen(?:t(?:u|em)?|cie))"
_FILE_PL = r"(?:dokumen(?:t(?:u|em|y|ów|ach)?|cie)|materia(?:[łl](?:u|em|y|ów|ach)?|le))"
_OF_IT_PL = r"(?: (?:o tym|tego|na ten temat|w ogóle|wprost|jednoznacznie|jasno|jednak))?"
_SAYS_PL = (
    r"(?:poda|okre[sś]l|wspomin|m[oó]wi|wskaz|wymieni|precyzuj|informuj|wyja[sś]nia|odpowiada)\w*"
)
_SAID_PL = r"(?:podan|okre[sś]lon|wspomnian|wskazan|napisan|sprecyzowan)\w+"
_INFO_PL = r"(?: \w+){0,3} (?:odpowiedzi|informacji|wzmiank\w+|mowy)\b"
_FIND_PL = (
    r"(?: \w+){0,4} (?:odpowiedzieć|udzielić|odnaleźć|znaleźć|ustalić|określić|stwierdzić"
    r"|wywnioskować)\b"
)

_TEXT_DE = r"(?:text|kontext|textauszug|textabschnitt)(?:e?s)?"
_FILE_DE = r"(?:auszug|abschnitt|dokument|material)(?:e?s)?"
_THE_DE = r"(?:der|dieser|das|dieses)(?: \w+)?"
_IN_DE = r"(?:im|(?:(?:in|aus|anhand|nach) )?(?:dem|diesem|des|dieses))(?: \w+)?"
_IT_DE = r"(?:das|dies|es|die antwort|dazu|darüber|hierzu|davon|leider)"
_SAYS_DE = r"(?:nennt|erwähnt|sagt|beantwortet|geht)"
_HOLDS_DE = r"(?:enthält|gibt|macht|liefert)"
_INFO_DE = r"(?:angaben?|informationen?|antwort|auskunft|auskünfte|aussagen?|hinweise?)\b"
_NOT_DE = r"(?: \w+){0,4} (?:nichts?|keine?\w*)\b"
_SAID_DE = r"(?:erwähnt|angegeben|genannt|gesagt|enthalten|hervor|beantworte\w*)"

_TEXT_ES = (
    r"(?:contexto|texto|fragmento)(?: (?:proporcionado|facilitado|dado|anterior|mismo|indicado))?"
)
_FILE_ES = r"(?:documento|pasaje|extracto)(?: (?:proporcionado|facilitado|dado|anterior))?"
_THE_ES = r"(?:el|este|dicho)(?: presente)?"
_SAYS_ES = r"(?:menciona|indica|especifica|dice|señala|precisa|responde|informa|detalla)\w*"
_HOLDS_ES = r"(?:contiene|proporciona|incluye|ofrece|da)\b"
_INFO_ES = r"(?: \w+){0,3} (?:información|respuesta|detalles?|mención|datos sobre)\b"

_SORRY = (
    r"(?:(?:(?:i['’]?m|i am) (?:sorry|afraid)|sorry|(?:my )?apologies|unfortunately"
    r"|przepraszam|przykro mi|niestety|(?:es )?tut mir (?:sehr )?leid|entschuldigung|leider"
    r"|lo siento|lo lamento|lamentablemente|desafortunadamente|disculpe) ?[,.;:–—-]?+ ?"
    r"(?:(?:but|that|ale|że|aber|doch|dass|pero) )?)?"
)
# As the prompt asks for it.
_NONE = r"(?:no answer|brak odpowiedzi|keine antwort|sin respuesta)"

_NO_ANSWER = begins(
    _SORRY
    + "(?:"
    + "|".join(
        (
            rf"{_NONE}(?:\W*$| ?[.:;(])",
            r"(?-i:NO ANSWER|BRAK ODPOWIEDZI|KEINE ANTWORT|SIN RESPUESTA) ?[–—-]",
            # English
            r"i (?:do not|do ?n['’]t) (?:really )?know\b",
            r"(?:i (?:can ?not|can['’]t|could not|could ?n['’]t)"
            r"|(?:i ?['’]?a?m|i was) (?:unable|not able) to|(?:we|you) (?:can ?not|can['’]t))"
            r"(?: \w+)? (?:answer|find|determine|tell)\b",
            rf"{_TEXT_EN}{_NOT_EN} (?:{_SAYS_EN}|{_HOLDS_EN})\b",
            rf"{_FILE_EN}{_NOT_EN} (?:{_SAYS_EN}\b|{_HOLDS_EN}{_INFO_EN})",
            rf"(?:it|this|that|the answer)(?: is|['’]s) ?(?:not|n['’]t)(?: \w+){{0,2}} {_IN_EN}",
            rf"(?:based on|according to|from) (?:{_TEXT_EN}|{_FILE_EN})[^.\n]{{0,40}}"
            r"(?:cannot|not possible|no answer)",
            r"i (?:do not|do ?n['’]t) have (?:\w+ ){0,2}information\b",
            r"there is (?:no|not enough|insufficient) (?:information|answer|mention)",
            rf"(?:no (?:answer|information|mention|details?)(?: \w+){{0,6}}|not(?: \w+)?) {_IN_EN}",
            r"(?:not (?:specified|mentioned|stated|given|found|known)|n/a|unknown)\W*$",
            r"no information(?: (?:provided|given|available|found))?\W*$",
            # Polish
            r"nie (?:wiem\b|znam(?: \w+)? odpowiedzi)",
            rf"nie (?:mogę|jestem w stanie|potrafię|udało mi się){_FIND_PL}",
            rf"nie znalazł[ae]m{_INFO_PL}",
            rf"(?:\w+ )?{_TEXT_PL}{_OF_IT_PL} nie (?:zawier\w+|{_SAYS_PL})",
            rf"(?:\w+ )?{_FILE_PL}{_OF_IT_PL} nie (?:zawier\w+{_INFO_PL}|{_SAYS_PL})",
            rf"(?:w|z|na podstawie) (?:\w+ )?{_TEXT_PL}{_OF_IT_PL} "
            r"(?:brak|nie (?:ma|poda|wsp|znal|moż|da się|wynik|okre|wskaz))",
            rf"(?:w|z|na podstawie) (?:\w+ )?{_FILE_PL}{_OF_IT_PL} "
            rf"(?:nie (?:{_SAID_PL}|(?:można|da się){_FIND_PL}|wynika)"
            rf"|(?:brak|nie (?:ma|znal\w+)){_INFO_PL})",
            r"nie (?:można|da się) (?:\w+ )?(?:odpowiedzieć|udzielić odpowiedzi|ustalić)",
            r"(?:brak (?:informacji|danych)|nie dotyczy|nie wiadomo)\W*$",
            rf"(?:(?:to|tego|o tym|(?:takiej|tej) informacji|odpowiedzi) )?nie "
            rf"(?:zostało )?(?:to )?(?:ma|wynika|zawarto|znajduje się|{_SAID_PL})"
            r"(?: (?:to|tego|o tym|mowy|takiej|tej|informacji|odpowiedzi)){0,3}"
            rf"(?: (?:w|z) (?:\w+ )?(?:{_TEXT_PL}|{_FILE_PL}))\W*$",
            rf"(?:(?:to|tego|o tym) )?nie (?:zostało )?(?:to )?{_SAID_PL}(?: (?:tego|o tym))?\W*$",
            rf"brak (?:odpowiedzi|informacji|danych)(?: \w+){{0,6}} w (?:\w+ )?"
            rf"(?:{_TEXT_PL}|{_FILE_PL})\b",
            # German
            r"(?:ich weiß (?:es |das )?(?:leider )?nicht|(?:das )?weiß ich (?:leider )?nicht)\b",
            r"(?:ich (?:kann|konnte|habe)|(?:kann|konnte|habe) ich)(?: \w+){0,6} (?:keine "
            rf"{_INFO_DE}|nicht(?: \w+){{0,3}} (?:beantworten|finden|sagen|ermitteln|entnehmen))",
            rf"{_THE_DE} {_TEXT_DE} (?:{_SAYS_DE}|{_HOLDS_DE}){_NOT_DE}",
            rf"{_THE_DE} {_FILE_DE} (?:{_SAYS_DE}{_NOT_DE}"
            rf"|{_HOLDS_DE}(?: \w+){{0,3}} keine\w*(?: \w+)? {_INFO_DE})",
            rf"(?:{_IT_DE} )?(?:{_SAYS_DE}|{_HOLDS_DE}) {_THE_DE} {_TEXT_DE}{_NOT_DE}",
            rf"{_IN_DE} {_TEXT_DE}{_NOT_DE}",
            rf"{_IN_DE} {_FILE_DE}(?: \w+){{0,4}} (?:nichts?(?: \w+)? {_SAID_DE}"
            rf"|nichts (?:dazu|darüber|hierzu|davon)|keine\w*(?: \w+)? {_INFO_DE})",
            rf"(?:{_IT_DE} )?(?:steht|geht|wird|ist|lässt|findet)(?: \w+){{0,3}} nichts?"
            rf"(?: \w+)? {_IN_DE} (?:{_TEXT_DE}|{_FILE_DE})\b",
            rf"(?:{_IT_DE} )?(?:steht|geht|wird|ist|lässt|findet)(?: \w+){{0,2}} {_IN_DE} "
            rf"(?:{_TEXT_DE}|{_FILE_DE})(?: \w+){{0,2}} nichts?\b",
            rf"(?:es )?(?:gibt|finden sich|liegen)(?: \w+){{0,4}} keine {_INFO_DE}",
            rf"(?:nicht|keine {_INFO_DE}(?: \w+)?) {_IN_DE} (?:{_TEXT_DE}|{_FILE_DE})\b",
            r"keine (?:angaben?|informationen?)(?: (?:dazu|hierzu|vorhanden|verfügbar))?\W*$",
            r"(?:(?:(?:das|dies|es) (?:ist|wird) )?nicht (?:angegeben|erwähnt|bekannt))\W*$",
            r"(?:unbekannt|keine ahnung)\W*$",
            # Spanish
            r"(?:no (?:lo )?sé|lo desconozco)\b",
            r"no (?:puedo|he podido|pude|me es posible|soy capaz de)(?: \w+)? "
            r"(?:encontrar|responder|contestar|determinar|hallar)\w*",
            r"no (?:es posible|se puede) (?:responder|contestar|determinar)",
            r"no tengo(?: \w+){0,2} (?:información|datos|respuesta)\b",
            rf"{_THE_ES} {_TEXT_ES} no (?:lo |la |se )?(?:{_SAYS_ES}|{_HOLDS_ES})",
            rf"{_THE_ES} {_FILE_ES} no (?:lo |la |se )?(?:{_SAYS_ES}|{_HOLDS_ES}{_INFO_ES})",
            rf"en {_THE_ES} {_TEXT_ES} no (?:se|hay|aparece|figura|consta|está)\b",
            rf"en {_THE_ES} {_FILE_ES} no "
            rf"(?:se (?:lo |la )?{_SAYS_ES}|(?:hay|aparece|figura|consta){_INFO_ES})",
            rf"(?:(?:eso|esto|ello|la respuesta) )?no (?:se (?:lo |la )?)?(?:{_SAYS_ES}"
            rf"|aparece|figura|consta|está|viene|encuentra)(?: \w+){{0,5}}"
            rf" en {_THE_ES} (?:{_TEXT_ES}\b|{_FILE_ES}\W*$)",
            r"no hay (?:suficiente )?información",
            r"no (?:se )?(?:especifica|menciona|indica|consta)\w*\W*$",
            r"(?:se desconoce|desconocid[oa])\W*$",
        )
    )
    + ")"
)
# What no question that has a question mark begins with, either.
_APOLOGIES = begins(
    r"(?:i ?['’]?m|i am) sorry\b",
    r"(?:sorry|apologies)\b",
    r"unfortunately,? (?:i|there|it|the \w+ (?:context|text)|the (?:context|text|document))\b",
    r"as an ai\b",
    r"(?:przepraszam|przykro mi)\b",
    rf"niestety,? (?:nie (?:mogę|jestem|da się|udało)|\w* ?(?:{_TEXT_PL}|{_FILE_PL})"
    rf"|w \w* ?(?:{_TEXT_PL}|{_FILE_PL})|brak)",
    r"jako (?:model|sztuczna|asystent|ai\b)",
    r"(?:es )?tut mir (?:sehr )?leid\b",
    r"(?:entschuldigung|ich entschuldige)\b",
    rf"leider (?:kann|ist|gibt|lässt|enthält|geht|(?:\w+ ){{1,2}}(?:{_TEXT_DE}|{_FILE_DE}))",
    r"als (?:ki|sprachmodell)\b",
    r"(?:lo siento|lo lamento|lamentablemente|disculpe)\b",
    r"como (?:modelo|una? (?:ia|inteligencia))\b",
)
# Only what no answer to a question about facts begins with: "Nie można przenieść urlopu" is one.
_REFUSALS = begins(
    r"(?:i ?['’]?m|i am) (?:unable|not able|afraid)",
    r"i (?:cannot|can not|can['’]t|could ?n[o'’]t|do not|do ?n['’]t|won['’]t|apologi[sz]e)\b",
    r"i could not\b",
    r"no question\W*$",
    r"nie (?:mogę|jestem w stanie|potrafię|udało mi się)\b",
    r"nie (?:można|da się) (?:\w+ )?sformułować",
    r"brak pytania\W*$",
    r"ich (?:kann|konnte|bin nicht|habe keine)\b",
    r"keine frage\W*$",
    r"no (?:puedo|he podido|tengo|me es posible|soy capaz)\b",
    r"no (?:es posible|se puede) formular",
    r"sin pregunta\W*$",
)
_OF_THE_TASK = re.compile(
    r"\b(?:questions?|pyta(?:nia|nie|ń)|fragen?|preguntas?|(?:con|kon)?te[xk](?:t|st)\w{0,2}"
    r"|(?:con)?texto|tekście)\b",
    re.IGNORECASE,
)


def says_no_answer(text: str) -> bool:
    """Whether an answer begins by saying that it is not known, or not in the text."""
    return _NO_ANSWER.match(text) is not None


def is_refusal(text: str) -> bool:
    """Whether an answer, or a question, begins by saying that there is none."""
    return any(kind.match(text) for kind in (_NO_ANSWER, _APOLOGIES, _REFUSALS))


def refuses_to_ask(reply: str) -> bool:
    """Whether a reply begins by declining; "I can't log in, what can I do?" is a question."""
    first = reply.partition("\n")[0]
    if "?" in first and not _OF_THE_TASK.search(first):
        return _APOLOGIES.match(reply) is not None
    return is_refusal(reply)
