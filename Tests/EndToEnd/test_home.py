"""`~` is the person's home wherever a file is taken."""

import json
import subprocess

from tool_servers import interpreter

CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=lab",
               "-keyout", "/dev/null"]


def home(parley):
    return parley.directory.parent


def test_a_file_of_lines(parley):
    (home(parley) / "lines").write_text("/settings temperature 0.25\n")
    assert parley.run("/run", "~/lines").status == 0
    assert json.loads((parley.home / "preferences.json").read_text())["temperature"] == 0.25
    assert parley.run("-f", "~/lines").status == 0


def test_an_authority(parley, scripted):
    subprocess.run([*CERTIFICATE, "-out", home(parley) / "lab-ca.pem"], check=True, capture_output=True)
    assert parley.run("/connect", scripted.url("ok"), "lab").status == 0
    result = parley.run("/server", "trust", "https://lab.example", "~/lab-ca.pem")
    assert result.status == 0, result
    assert str(home(parley) / "lab-ca.pem") in (parley.home / "known_servers").read_text()


def test_tools_to_import_and_the_words_of_a_program(parley):
    script = home(parley) / "papers" / "peer.py"
    script.parent.mkdir()
    script.write_text("import sys; sys.exit(3)\n")
    (home(parley) / "x.json").write_text(
        json.dumps({"mcpServers": {"imported": {"command": interpreter("mcp2"), "args": ["~/papers/peer.py"]}}}))
    # What is shown before it is allowed is what would run.
    assert str(script) in parley.run("--yes", "/tools", "import", "~/x.json").err
    parley.run("--yes", "/tools", "add", "added", "--", interpreter("mcp2"), "~/papers/peer.py", "~", "a~/b")
    kept = (parley.home / "tools.json").read_text()
    assert "~/papers" not in kept and str(script) in kept
    assert "a~/b" in kept and f'"{home(parley)}"' in kept


def test_tab(parley):
    (home(parley) / "very-long-name").write_text("")
    shell = parley.on_terminal()
    shell.wait_for_prompt()
    shell.send("/run ~/very-l")
    shell.wait_until(lambda: shell.typed.endswith("~/very-l"), "the beginning")
    shell.press("tab")
    shell.wait_until(lambda: shell.typed.endswith("~/very-long-name"), "the name")
