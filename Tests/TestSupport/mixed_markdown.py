"""Markdown of all kinds, the same each time, as a talkative model might write it."""

import random

WORDS = ("the of model server answer token shell terminal is a and to write line session history prompt value returns "
         "when it then each stream of bytes café naïve").split()
WIDE = "日本語の文章も混ざることがある。中文字符也会出现。"
CODE = {
    "python": "def answer(prompt, *, temperature=0.7):\n    # ask the model\n\n    for token in stream(prompt):\n"
              "        yield token.upper() + \"!\"\n",
    "swift": "struct Answer: Sendable {\n  let text: String // whole\n}\n",
    "c": "int main(void) {\n  /* say it */\n  for (int i = 0; i < 10; i++) printf(\"%d\\n\", i);\n  return 0;\n}\n",
    "sh": "for f in *.txt; do\n  echo \"$f\" | sed 's/a/b/' # change\ndone\n",
    "json": "{\"name\": \"parley\", \"n\": [1, 2.5, true, null]}\n",
}


def mixed(size, seed=4):
    """About so many bytes."""
    chance = random.Random(seed)
    parts = []
    written = 0
    while written < size:
        part = block(chance)
        parts.append(part)
        written += len(part.encode()) + 2
    return "\n\n".join(parts) + "\n"


def words(chance, count):
    return " ".join(chance.choice(WORDS) for _ in range(count))


def phrase(chance):
    return chance.choice([
        lambda: "**" + words(chance, 2) + "**", lambda: "*" + words(chance, 2) + "*",
        lambda: "`" + chance.choice(WORDS) + "()`", lambda: "~~" + words(chance, 1) + "~~",
        lambda: f"[{words(chance, 2)}](https://example.com/{chance.choice(WORDS)})",
        lambda: WIDE[:chance.randint(4, 20)], lambda: "$a_1 * b_1$",
        *[lambda: words(chance, 6)] * 9])()


def paragraph(chance):
    return " ".join(phrase(chance) for _ in range(chance.randint(5, 14))) + "."


def block(chance):
    return chance.choice([heading, paragraph, paragraph, paragraph, items, items, code, table, quote, tasks, formula])(chance)


def heading(chance):
    return "#" * chance.randint(1, 4) + " " + words(chance, 4)


def items(chance):
    numbered = chance.random() < 0.4
    lines = []
    for number in range(1, chance.randint(3, 8)):
        mark = f"{number}. " if numbered else "- "
        lines.append(mark + words(chance, chance.randint(4, 30)))
        if chance.random() < 0.3:
            lines.append(" " * len(mark) + "- " + paragraph(chance))
        if chance.random() < 0.1:
            lines.append("")
    return "\n".join(lines).rstrip()


def code(chance):
    language = chance.choice(sorted(CODE))
    return f"```{language}\n{CODE[language] * chance.randint(1, 4)}```"


def table(chance):
    columns = chance.randint(2, 5)

    def row(cell):
        return "|" + "|".join(cell() for _ in range(columns)) + "|"
    rows = [row(lambda: words(chance, 2)), row(lambda: chance.choice(["---", ":-:", "--:"]))]
    return "\n".join(rows + [row(lambda: phrase(chance)) for _ in range(chance.randint(2, 8))])


def quote(chance):
    return f"> {paragraph(chance)}\n> {words(chance, 8)}\n>\n> - {words(chance, 5)}"


def tasks(chance):
    return f"- [x] {words(chance, 4)}\n- [ ] {words(chance, 4)}"


def formula(chance):
    return "It holds that\n\n\\[\n\\sum_{i=1}^n x_i\n- y\n\\]\n\nand \\(x*y*z\\) " + words(chance, 3)
