"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from ragifeval.errors import UserError
from ragifeval.files import written_beside


def test_another_is_replaced_by_the_whole_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt), written_beside(path) as file:  # noqa: PT012
        file.write("ne")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [path]
    with written_beside(path) as file:
        file.write("new, zażółć \ud83d\n")
        file.flush()
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_bytes() == "new, zażółć \\ud83d\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    path, target = tmp_path / "a.txt", tmp_path / "disk" / "b.txt"
    path.symlink_to(target)
    with written_beside(path) as file:
        file.write("new")
    assert path.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    path, victim = tmp_path / "a.json", tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (tmp_path / "a.json.tmp").symlink_to(victim)
    with written_beside(path) as file:
        file.write("new")
    assert (path.read_text(encoding="utf-8"), path.is_symlink()) == ("new", False)
    assert victim.read_text(encoding="utf-8") == "mine"


def test_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "null"
    path.symlink_to("/dev/null")
    with written_beside(path) as file:
        file.write("new")
    assert Path("/dev/null").is_char_device()


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "no" / "a.txt", "No such file")):
        with (
            pytest.raises(UserError, match=f"{path}: cannot be written: {reason}"),
            written_beside(path),
        ):
            pass
    assert list(tmp_path.iterdir()) == []
