"""Options are read alike in all commands."""

from argparse import Namespace

import pytest

from ragifeval.__main__ import COMMANDS
from ragifeval.cli.arguments import ADD_OPTIONS
from ragifeval.cli.options import SWITCH, Parser, between, positive


def parse(*arguments: str) -> Namespace:
    parser = Parser(prog="p")
    parser.add_argument("logs", nargs="*")
    parser.add_argument("--chunk_size", type=positive)
    parser.add_argument("--share", type=between(0, 1))
    parser.add_argument("--dry_run", **SWITCH)
    parser.add_argument("--draft", **SWITCH)
    return parser.parse_args(arguments)


READ = [
    (["--chunk-size", "7"], {"chunk_size": 7}),
    (["--dry-run", "a-b.jsonl"], {"dry_run": True, "logs": ["a-b.jsonl"]}),
    (["--dry_run", "false", "a"], {"dry_run": False, "logs": ["a"]}),
    (["--dry-run=TRUE"], {"dry_run": True}),
    (["--share", "0,5"], {"share": 0.5}),
    (["--", "--dry-run"], {"dry_run": False, "logs": ["--dry-run"]}),
]
REFUSED = [
    (["--dry_run=yes"], "--dry_run: must be true or false, not 'yes'"),
    (["--chunk-size", "0"], "--chunk_size: must be a number of at least 1, not '0'"),
    (["--share", "nan"], "--share: must be from 0 to 1, not 'nan'"),
    (["--dry", "a"], "unknown option '--dry'; did you mean '--dry_run'?"),
    (["--zzz", "1"], "unknown option '--zzz'; known are: --chunk_size, --draft, "),
]


@pytest.mark.parametrize(("arguments", "expected"), READ)
def test_read(arguments: list[str], expected: dict[str, object]) -> None:
    found = vars(parse(*arguments))
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(*arguments)
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert message in error
    assert error.startswith("p: error: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_has_a_dash_in_its_name_or_is_a_switch_of_another_kind(command: str) -> None:
    parser = Parser()
    ADD_OPTIONS[command](parser)
    for action in parser._actions:
        names = [name for name in action.option_strings if name.startswith("--")]
        assert not any("-" in name[2:] for name in names)
        assert names in (["--help"], ["--version"]) or action.nargs != 0, names
