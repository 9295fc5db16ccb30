"""Errors, exit codes and the small commands."""

import base64
import logging
from pathlib import Path

import pytest

from gateway.errors import SettingsError
from gateway.releases.signatures import load_signing_key, public_text
from tests.cli.conftest import Run


def test_keygen_prints_a_key_and_nothing_else(run: Run) -> None:
    """[ours] stdout is the result; it goes into a variable."""
    first, second = run("keygen"), run("keygen")
    assert first.exit_code == 0
    assert first.stderr == ""
    assert len(base64.urlsafe_b64decode(first.stdout.removesuffix("\n"))) == 32
    assert first.stdout != second.stdout


def test_version_prints_the_version(run: Run) -> None:
    """[ours]"""
    assert run("version").stdout == "0.1.0\n"


@pytest.mark.parametrize("value", ["0", "abc", "1.5"])
def test_a_wrong_setting_is_one_line_on_stderr_and_exit_code_2(run: Run, value: str) -> None:
    """[ours] No traceback, nothing on stdout."""
    result = run("serve", "--bucket", "skills", "--page-size", value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: --page-size is '{value}': needs a whole number from 1 to 1000\n"


def test_an_unknown_flag_is_exit_code_2(run: Run) -> None:
    """[ours]"""
    result = run("serve", "--nonsense")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such option: --nonsense" in result.stderr


def test_verbose_shows_the_error_itself(run: Run) -> None:
    """[ours] A traceback only with -v."""
    result = run("-v", "serve", "--bucket", "skills", "--page-size", "0")
    assert isinstance(result.exception, SettingsError)


@pytest.mark.parametrize("command", ["serve", "demo", "check", "keygen", "version"])
def test_every_command_has_help(run: Run, command: str) -> None:
    """[ours]"""
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"skills-gateway {command}" in result.stdout.replace("root", "skills-gateway")


def test_nothing_is_logged_by_the_commands_that_only_print(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    """[ours]"""
    with caplog.at_level(logging.DEBUG, "gateway"):
        run("keygen")
    assert caplog.records == []


def test_keygen_makes_a_signing_key_that_only_its_owner_may_read(run: Run, tmp_path: Path) -> None:
    """[ours: signatures of releases]"""
    file = tmp_path / "key.pem"
    made = run("keygen", "--signing", str(file))
    assert made.exit_code == 0
    key = load_signing_key(file.read_bytes())
    assert made.stdout == public_text(key.public_key()) + "\n"
    assert file.stat().st_mode & 0o777 == 0o600
    again = run("keygen", "--signing", str(file))
    assert again.exit_code == 1
    assert "is there already" in again.stderr
    assert load_signing_key(file.read_bytes()).public_key() == key.public_key()
