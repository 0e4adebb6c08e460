"""Templates that nobody vetted: they reach no file, no code and no object behind the documents."""

from pathlib import Path

import pytest

from ragifeval.benchmark.benchmark import Document, Sample
from ragifeval.errors import UserError
from ragifeval.run.template import PromptTemplate

SAMPLE = Sample("p01", "Ile wynosi opłata?", ("a",), {"safe": True})
DOCUMENTS = [Document("a", "Opłata wynosi 17 zł.", "Opłaty", "ustawa")]


def render(folder: Path, source: str) -> str:
    path = folder / "prompt.jinja"
    path.write_text(source, encoding="utf-8")
    return PromptTemplate(path, system_message="").render(SAMPLE, DOCUMENTS).messages[0].content


# From the write-ups of sandbox escapes: attribute walks, by every way to write an attribute.
WALKS = [
    "{{ ''.__class__.__base__.__subclasses__() }}",
    "{{ ().__class__.__bases__[0].__subclasses__()[40]('/etc/passwd').read() }}",
    "{{ [].__class__.__mro__[1].__subclasses__() }}",
    "{{ {}['__class__'] }}",
    "{{ question['__cla' ~ 'ss__'] }}",
    "{{ question['\\x5f\\x5fclass\\x5f\\x5f'] }}",
    "{{ question | attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
    "{{ question | attr(['__cla', 'ss__'] | join) }}",
    "{{ question | attr('%s%s' | format('__cla', 'ss__')) }}",
    "{{ docs | map(attribute='__class__') | list }}",
    "{{ documents | map(attribute='__class__.__init__') | list }}",
    "{{ documents | map(attribute='__init__.__globals__') | list }}",
    "{{ documents | groupby('__class__') }}",
    "{{ documents | sort(attribute='__class__') }}",
    "{{ documents | selectattr('__class__') | list }}",
    "{{ documents | sum(attribute='__class__') }}",
    "{{ documents[0].__reduce_ex__(2) }}",
    "{{ documents[0].__getstate__() }}",
    "{{ documents[0].__dataclass_fields__ }}",
    "{{ documents[0].__slots__ }}",
    "{{ documents[0].__doc__ }}",
    "{{ request.application.__globals__ }}",
    "{{ config }}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ lipsum.__globals__['os'].popen('id').read() }}",
    "{{ lipsum | attr('__globals__') }}",
    "{{ lipsum.__code__ }}",
    "{{ lipsum.func_globals }}",
    "{{ dict.__base__ }}",
    "{{ range.__class__ }}",
    "{{ namespace.__getattribute__ }}",
    "{{ joiner.__call__.__func__ }}",
    "{{ self.__dict__ }}",
    "{{ self._TemplateReference__context.environment }}",
    "{{ loop.__class__ }}",
    "{% for d in docs %}{{ loop.__init__.__globals__ }}{% endfor %}",
    "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "{% macro m() %}{% endmacro %}{{ m._environment }}",
    "{% macro m() %}{{ caller.__globals__ }}{% endmacro %}{% call m() %}{% endcall %}",
    "{{ (docs | map('upper')).gi_frame.f_globals }}",
    "{{ (docs | map('upper')).gi_code }}",
    "{{ question.upper.__self__ }}",
    "{{ question.format.__func__ }}",
    "{% set ns = namespace() %}{% set ns.x = docs.__class__ %}{{ ns.x }}",
    "{% with c = question.__class__ %}{{ c }}{% endwith %}",
    "{% filter attr('__class__') %}a{% endfilter %}",
]
FORMATS = [
    "{{ '{0.__class__.__init__.__globals__}'.format(documents[0]) }}",
    "{{ '{x.__class__}'.format(x=question) }}",
    "{{ '{0[__class__]}'.format(documents) }}",
    "{{ '{x.__class__}'.format_map({'x': question}) }}",
    "{% set f = '{0.__class__}'.format %}{{ f(question) }}",
    "{{ ('{0.__cla' ~ 'ss__}').format(question) }}",
    "{{ '{0.__class__}' | attr('format')(question) }}",
    "{{ ['{0.__class__}'] | map('attr', 'format') | first(question) }}",
    "{{ ('{0.__class__}' | safe).format(question) }}",
    "{{ ('{0.__class__}' | e).format(question) }}",
    "{{ '{:{x.__class__}}'.format(1, x=question) }}",
    "{{ '%(x)s' % {'x': question.__class__} }}",
    "{{ '{0.__class__}' | replace('x', 'y') | attr('format_map')({'0': question}) }}",
]
CHANGES = [
    "{{ docs.append('more') }}",
    "{{ docs.pop() }}",
    "{{ docs.sort() }}",
    "{{ documents.clear() }}",
    "{{ documents.__setitem__(0, 1) }}",
    "{% set documents[0].contents = 'x' %}",
    "{{ {}.update({'a': 1}) }}",
]
LOADS = [
    "{% include '/etc/passwd' %}",
    "{% include ['a', '/etc/passwd'] %}",
    "{% import '/etc/passwd' as p %}",
    "{% extends '../prompt.jinja' %}",
    "{{ get_flashed_messages.__globals__ }}",
    "{{ open('/etc/passwd').read() }}",
    "{{ import('os') }}",
    "{{ __import__('os') }}",
    "{{ eval('1') }}",
    "{{ environment.loader }}",
    "{{ url_for }}",
]


@pytest.mark.parametrize("source", [*WALKS, *FORMATS, *CHANGES, *LOADS])
def test_nothing_comes_of_it(tmp_path: Path, source: str) -> None:
    """An error, or a text that gives nothing away; the documents stay as they are."""
    before = list(DOCUMENTS)
    try:
        text = render(tmp_path, source)
    except UserError as error:
        text = str(error).partition("; a template is given")[0]
        assert text.startswith(f"{tmp_path / 'prompt.jinja'}:")
    for sign in ("<class", "<function", "<module", "root:x:", "built-in method", "uid=", " at 0x"):
        assert sign not in text
    assert before == DOCUMENTS


def test_a_missing_include_may_be_ignored_and_gives_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        render(tmp_path, "{% include '/etc/passwd' ignore missing %}")


# What Jinja or Python makes of a template that is none; each was a traceback once.
BROKEN = {
    "nested loops": "{% for d in docs %}" * 25 + "{% endfor %}" * 25,
    "nested conditions": "{% if 1 %}" * 200 + "{% endif %}" * 200,
    "nested brackets": "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "nested lists": "{{ " + "[" * 90 + "]" * 90 + " }}",
    "a long sum": "{{ " + "1+" * 3_000 + "1 }}",
    "many signs": "{{ " + "-" * 3_000 + "1 }}",
    "an argument twice": "{% macro m(a, a) %}{% endmacro %}",
    "an empty cycle": "{{ cycler().next() }}",
    "too much memory": "{{ 'x' * 10 ** 15 }}",
    "too much to pad": "{{ 'x' | center(10 ** 15) }}",
    "too much to format": "{{ '%*d' % (10 ** 11, 1) }}",
    "half of a pair": "{{ '\\ud800' }}",
    "a range without end": "{{ range(10 ** 9) | list }}",
    "endless recursion": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_template_is_told_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError) as caught:
        render(tmp_path, BROKEN[name])
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'prompt.jinja'}:")
    assert "\n" not in message
    assert len(message) <= 1_000
