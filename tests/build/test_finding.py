"""Names on the command line -> files, and the names they go by."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ragifeval.build.reading import find_files
from ragifeval.errors import UserError

TREE = [
    "docs/b.txt",
    "docs/a.pdf",
    "docs/sub/C.TXT",
    "docs/sub/deep/d.html",
    "docs/photo.png",
    "docs/.hidden.txt",
    "docs/.git/e.txt",
    "docs/~$umowa.docx",
    "docs/out/samples.jsonl",
    "docs.pdf/f.txt",
    "other/sub/b.txt",
    "other/b.txt",
    "other/x.doc",
    "empty/photo.png",
    "star[1].txt",
]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with the files of TREE in it."""
    for name in TREE:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("tekst")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ALL = ["a.pdf", "b.txt", "out/samples.jsonl", "sub/C.TXT", "sub/deep/d.html"]
# Names, pattern -> the names that the files go by, in order.
FOUND: list[tuple[list[str], str | None, list[str]]] = [
    (["docs"], None, ALL),
    (["./docs/../docs/", "docs/b.txt", "docs"], None, ALL),
    (["docs/b.txt", "docs/sub"], None, ["b.txt", "C.TXT", "deep/d.html"]),
    (["docs"], "sub/**", ["sub/C.TXT", "sub/deep/d.html"]),
    (["docs/**/*.html"], None, ["sub/deep/d.html"]),
    (["*/b.txt"], None, ["docs/b.txt", "other/b.txt"]),
    (["docs.pdf"], None, ["f.txt"]),
    (["star[1].txt"], None, ["star[1].txt"]),
    (["docs", "other"], None, [*ALL, "other/b.txt", "sub/b.txt"]),
]


@pytest.mark.parametrize(("names", "pattern", "shown"), FOUND)
def test_found(tree: Path, names: Sequence[str], pattern: str | None, shown: list[str]) -> None:
    files = find_files(names, pattern).files
    assert [name for _, name in files] == shown
    for path, name in files:
        assert path.resolve().as_posix().endswith(name)


def test_other_kinds_are_counted_in_folders_and_named_outright(tree: Path) -> None:
    found = find_files(["docs", "other/x.doc", "other"])
    assert found.passed_over == {".doc": 1, ".png": 1}
    assert [*found.unread] == ["x.doc"]
    assert found.unread["x.doc"].startswith("is none of the kinds that are read: .pdf, ")


MISSING = [
    (["docs", "nowhere.pdf"], None, "nowhere.pdf: there is no such file or folder"),
    (["empty"], None, "empty: there is no file of a kind that is read (.pdf, .docx, "),
    (["docs"], "*.csv", "docs: there is no file that matches '*.csv' of a kind that is read"),
    (["nowhere/*.pdf"], None, "nowhere/*.pdf: there is no file that matches '*.pdf' of a kind"),
    (["x" * 300], None, f"{'x' * 300}: cannot be read: File name too long"),
    (["docs"], "**.pdf", "'**.pdf' is not a pattern such as \"**/*.pdf\": "),
]


@pytest.mark.parametrize(("names", "pattern", "start"), MISSING)
def test_missing(tree: Path, names: Sequence[str], pattern: str | None, start: str) -> None:
    with pytest.raises(UserError) as error:
        find_files(names, pattern)
    assert str(error.value).startswith(start)


def test_links_are_followed_to_files_of_the_folder_only(tree: Path) -> None:
    (tree / "docs/again").symlink_to(tree / "docs")
    (tree / "docs/out.txt").symlink_to(tree / "other/b.txt")
    (tree / "docs/.hidden.txt").write_text("tekst")
    (tree / "docs/link.txt").symlink_to(tree / "docs/.hidden.txt")
    (tree / "docs/gone.txt").symlink_to("nowhere")
    (tree / "docs/loop.txt").symlink_to("loop.txt")
    links = ["gone.txt", "link.txt", "loop.txt"]
    for pattern in (None, "**/*"):
        found = find_files(["docs"], pattern)
        assert [name for _, name in found.files] == [*ALL[:2], *links, *ALL[2:]]
        assert found.unread == {"out.txt": "is a link to a file elsewhere"}
    for named in ("loop.txt", "out.txt"):
        assert [name for _, name in find_files([f"docs/{named}"]).files] == [named]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_without_permission(tree: Path) -> None:
    (tree / "docs/sub").chmod(0)
    try:
        unread = find_files(["docs"]).unread
    finally:
        (tree / "docs/sub").chmod(0o700)
    assert unread == {"docs/sub": "cannot be entered: Permission denied"}
