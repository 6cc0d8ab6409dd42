#!/usr/bin/env python3
"""What runs of the tests come to, from the results that both kinds of test write (JUnit's XML).

  scripts/verdict.py failed RESULTS                 the tests that failed, as `swift test --filter` takes them; at most ten,
                                                    and nothing when there are more: that is no chance
  scripts/verdict.py judge FOLDER NAME=STATUS...    compares NAME.xml with NAME-again.xml in FOLDER, for each run and its exit
                                                    status, repetitions (NAME-again=STATUS) too; exits with 1 when red
  scripts/verdict.py soak FOLDER...                 a table of the tests that failed in these rounds; exits with 1 when one did

What failed is run once more, alone, after everything else. What passes then is flaky: it is named, and kept in FOLDER/flaky,
and more than two of it are red. What fails twice is red, and so are a run that ended without results, a process that a run
left behind (NAME.left) and, where CI is set, a test that was skipped and is not listed in scripts/expected-skips.
"""

import collections
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

MOST_AGAIN = 10
MOST_FLAKY = 2
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:x0*(?:[0-8bcef]|1[0-9a-f])|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]));", re.I)


class Results:
    """The outcome of each test: what it said when it failed, None when it passed."""

    def __init__(self, path):
        self.failures, self.skips, self.passed = {}, {}, []
        # A message may hold what no XML may, as it is or as a reference.
        text = UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", path.read_text(encoding="utf-8", errors="replace"))
        for case in xml.etree.ElementTree.fromstring(text.encode()).iter("testcase"):
            name = (case.get("classname"), case.get("name"))
            failures = case.findall("failure") + case.findall("error")
            skipped = case.find("skipped")
            if failures:
                # pytest has a case for a call and another for its teardown.
                self.failures.setdefault(name, first_line(failures[0]))
            elif skipped is not None:
                self.skips[name] = first_line(skipped)
            else:
                self.passed.append(name)

    @staticmethod
    def of(path):
        """None where a run ended before it had any."""
        try:
            return Results(path)
        except (OSError, xml.etree.ElementTree.ParseError):
            return None

    def __str__(self):
        counts = collections.Counter(passed=len(self.passed), failed=len(self.failures), skipped=len(self.skips))
        return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def first_line(element):
    text = (element.get("message") or element.text or "").strip()
    return text.splitlines()[0][:300] if text else "no reason given"


def words(name):
    return f"{name[0]}: {name[1]}"


def failed(path):
    results = Results.of(pathlib.Path(path))
    if results is None or not 0 < len(results.failures) <= MOST_AGAIN:
        return
    for suite, name in results.failures:
        # A test's id is its module, a point, and its types and itself with a slash between.
        module, *types = (re.sub(r"([^\w\s])", r"\\\1", part) for part in (*suite.split("."), name))
        print(f"^{module}\\.{'/'.join(types)}/")


def expected_skips():
    """The tests that may be skipped where all is installed, as they are named here."""
    lines = pathlib.Path(__file__).with_name("expected-skips").read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def unexpected_skips(results):
    expected = expected_skips() if os.environ.get("CI") else None
    if expected is None:
        return []
    return [f"{words(test)}: skipped: {why}" for test, why in results.skips.items() if words(test) not in expected]


def left_behind(folder, name):
    """What a run left running."""
    listing = folder / f"{name}.left"
    if not listing.exists():
        return [f"{name}: nobody looked what it left behind"]
    return [f"{name}: left behind: {line}" for line in listing.read_text(errors="replace").splitlines()]


def judge(folder, runs):
    """The lines to say, the flaky ones among them, and whether all is well."""
    lines, flaky, red = [], [], []
    left = [line for name, _ in runs for line in left_behind(folder, name)]
    red += left
    for name, status in runs:
        results = Results.of(folder / f"{name}.xml")
        if results is None:
            lines.append(f"{name}: ended with {status}, without results")
            red.append(f"{name}: no results")
            continue
        # Both kinds end with 1 when a test failed, and with something else when they themselves did.
        if status not in (0, 1) or status and not results.failures:
            red.append(f"{name}: ended with {status}")
        if name.endswith("-again"):
            continue
        lines.append(f"{name}: {results}")
        red += unexpected_skips(results)
        again = Results.of(folder / f"{name}-again.xml")
        for test, message in results.failures.items():
            if again is not None and test in again.failures:
                red.append(f"{words(test)}: {message}; and again: {again.failures[test]}")
            elif again is not None and test in again.passed:
                flaky.append(f"{words(test)}: {message}")
            else:
                red.append(f"{words(test)}: {message}; not run again")
        if not results.passed and not results.failures:
            red.append(f"{name}: no test ran")
    if not left:
        lines.append("left behind: nothing")
    lines += [f"flaky: {one}" for one in flaky] + [f"FAILED: {one}" for one in red]
    if len(flaky) > MOST_FLAKY:
        lines.append(f"FAILED: {len(flaky)} flaky tests, and {MOST_FLAKY} are the most that pass")
    return lines, flaky, not red and len(flaky) <= MOST_FLAKY


def soak(folders):
    """The rounds in which each test failed, the first message of each, and whether all is well."""
    rounds, first = collections.Counter(), {}
    for folder in folders:
        for name in ("swift-tests", "end-to-end"):
            results = Results.of(folder / f"{name}.xml")
            problems = {words(test): message for test, message in results.failures.items()} if results else {name: "no results"}
            problems |= {line: "" for line in left_behind(folder, name)}
            if results and not results.passed and not results.failures:
                problems[name] = "no test ran"
            status = int((folder / f"{name}.status").read_text())
            if status not in (0, 1) or status and not problems:
                problems[name] = f"ended with {status}"
            for test, message in problems.items():
                rounds[test] += 1
                first.setdefault(test, f"round {folder.name}: {message}".replace("|", "\\|"))
    lines = [f"| test | rounds red of {len(folders)} | first message |", "|---|---|---|"]
    lines += [f"| {test} | {count} | {first[test]} |" for test, count in rounds.most_common()]
    return lines + ([] if rounds else ["| none | 0 | |"]), not rounds


def main(arguments):
    match arguments:
        case ["failed", path]:
            failed(path)
        case ["judge", folder, *runs]:
            folder = pathlib.Path(folder)
            pairs = [(name, int(status)) for name, _, status in (run.partition("=") for run in runs)]
            lines, flaky, is_well = judge(folder, pairs)
            (folder / "flaky").write_text("".join(f"{one}\n" for one in flaky))
            print("\n".join(lines))
            return 0 if is_well else 1
        case ["soak", *folders]:
            lines, is_well = soak([pathlib.Path(folder) for folder in folders])
            print("\n".join(lines))
            return 0 if is_well else 1
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
