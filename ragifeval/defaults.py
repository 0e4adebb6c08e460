"""The defaults of options that scores depend on."""

SYSTEM_MESSAGE = "Jesteś pomocnym asystentem udzielającym odpowiedzi w języku polskim."
REFUSAL_MESSAGE = "Nie udało mi się odnaleźć odpowiedzi na pytanie"
MATCHING = "substring"
SEED = 0
