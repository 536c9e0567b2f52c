"""A folder is removed whatever an agent has left in it."""

import os
import shutil
from pathlib import Path

import pytest

from agent_conformance.run.process.isolation import _empty_nested, remove_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


def nest(folder: Path, levels: int) -> None:
    """So many folders within each other, with a file in each; their path is longer than any that can be opened."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deeper", dir_fd=at)
        inner = os.open("deeper", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
        os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)


def test_files_and_folders_are_removed(folder: Path) -> None:
    (folder / "file").touch()
    (folder / "inner").mkdir()
    (folder / "inner" / "file").touch()
    (folder / "link").symlink_to("/nowhere")

    remove_folder(folder)

    assert not folder.exists()


def test_folders_that_are_deeper_than_python_calls_itself_are_removed(folder: Path) -> None:
    nest(folder, 1500)

    remove_folder(folder)

    assert not folder.exists()


def test_each_folder_of_many_within_each_other_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nest(folder, 100)
    really_scan, read = os.scandir, list[str]()
    monkeypatch.setattr(shutil, "rmtree", lambda *arguments, **options: None)
    monkeypatch.setattr(os, "scandir", lambda path: (read.append(str(path)), really_scan(path))[1])

    _empty_nested(folder)

    assert len(read) == 101
    assert [path.name for path in folder.iterdir()] == []


def test_folders_that_are_deeper_than_files_may_be_opened_are_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From Python 3.13 on, `rmtree` opens each folder within another, and may ignore that it cannot."""
    nest(folder, 10)
    really_remove, calls = shutil.rmtree, list[Path]()

    def too_many_open(path: Path, ignore_errors: bool) -> None:
        calls.append(path)
        if len(calls) > 1:
            really_remove(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", too_many_open)
    remove_folder(folder)

    assert not folder.exists()


def test_what_a_link_leads_to_stays(folder: Path, tmp_path: Path) -> None:
    nest(folder, 1500)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    (folder / "link").symlink_to(tmp_path / "other")
    (folder / "deeper" / "link").symlink_to(tmp_path / "other")

    remove_folder(folder)

    assert not folder.exists()
    assert (tmp_path / "other" / "file").exists()


def test_folder_that_cannot_be_removed_raises_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "inner").mkdir()

    def too_deep(*arguments: object, **options: object) -> None:
        raise RecursionError

    monkeypatch.setattr(shutil, "rmtree", too_deep)
    monkeypatch.setattr(os, "rmdir", lambda path: (_ for _ in ()).throw(PermissionError(path)))

    remove_folder(folder)

    assert folder.exists()


def test_folder_that_is_not_there_raises_nothing(tmp_path: Path) -> None:
    remove_folder(tmp_path / "nowhere")
