"""Texts that want to take over a terminal: those that have done it, and others put together of their parts."""

import random

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
ENDS = [BEL, ST, "\x9c", ""]

OSC = ["0;owned", "2;owned", "4;1;?", "10;?", "11;?", "12;#ff0000", "7;file:///etc", "8;;http://evil.example/\x1b[2J", "9;owned",
       "50;#1", "52;c;cm0gLXJmIC8=", "52;c;?", "99;i=1;owned", "133;C", "633;E;rm", "777;notify;a;b", "1337;File=inline=1:AAAA",
       "1337;SetBadgeFormat=b3duZWQ=", "5522;type=read"]
CSI = ["n", "5n", "6n", "c", ">c", "=c", "x", "20t", "21t", "23t", "8;1;1t", "?25$p", "!p", "2J", "3J", "H", "1;1H", "?1049h", "?1047h",
       "?2004l", "?2026h", "?1000h", "?1003h", "?1006h", "?25l", "?7l", "?1h", "?6h", "4h", "20h", "1;5r", "5;5H", "99A", "99D", "10S",
       "10T", "10L", "10M", "99P", "99@", "31m", "8m", "7m", "0 q", "5i", ">4;2m", ">1u", "<1u", "?69h", "1;2s", "s", "u", "g", "3g"]
DCS = ["$qm", "+q544e", "q#0;2;0;0;0#0!20~", "tmux;\x1b\x1b]52;c;AAAA\x07", "1$r0m"]
SINGLE = ["c", "7", "8", "D", "E", "M", "H", "N", "O", "Z", "=", ">", "#8", "#3", "(0", ")0", "%G", "%@", "n", "o", "|", "G Q", "l", "m",
          " F", " G"]
RAW = ["\x0e", "\x0f", "\x05", "\x07" * 20, "\x08" * 30, "\r", "\x00", "\x7f", "\x1a", "\x13", "\x11", "\x0b", "\x0c", "\x84", "\x85",
       "\x88", "\x8d", "\x8e", "\x90", "\x96", "\x98", "\x9a", "\x9b2J", "\x9d0;owned\x9c", "\x9e", "\x9f",
       "\u202e", "\u202d", "\u2066", "\u2067", "\u2069", "\u200f", "\u061c", "\u2028", "\u2029", "\u200b", "\ufeff", "\u00ad", "\u3164",
       "".join(chr(0xE0000 + ord(letter)) for letter in "rm -rf"), "a" + "\u0301" * 60, "\u200d" * 20, "x" + "\ufe0f" * 9,
       "\ue000", "\uffff", "\U000f0000", "<tool_call>{}</tool_call>", ESC + "[201~", ESC + "[200~"]


def corpus():
    """Each of them once."""
    texts = [f"{ESC}]{code}{end}" for code in OSC for end in ENDS]
    texts += [f"{ESC}[{code}" for code in CSI] + [f"\x9b{code}" for code in CSI[:20]]
    texts += [f"{ESC}P{code}{end}" for code in DCS for end in (ST, "")]
    texts += [f"{ESC}{kind}Gf=24,s=1,v=1;AAAA{ST}" for kind in "_^X"]
    return texts + [ESC + code for code in SINGLE] + RAW


def cases(count, seed=1):
    """The corpus, and then as many more as are wanted: some of it joined, cut, and put into Markdown and JSON."""
    chance = random.Random(seed)
    texts = corpus()[:count]
    known = corpus()
    frames = ["{}", "**{}**", "`{}`", "[{}](http://e.example/{})", "| {} | b |\n|---|---|\n| {} | c |", "# {}", "- {}", "> {}",
              "```\n{}\n```", "```sh\n{}\n```", "<b>{}", "![{}]({})", "[{}]: {}", '{{"a": "{}"}}', "$ {}$", "&#27;{}", "\\{}", "    {}"]
    while len(texts) < count:
        text = "".join(chance.choice(known) for _ in range(chance.randint(1, 3)))
        if chance.random() < 0.3:
            text = text[:chance.randint(1, len(text))]
        if chance.random() < 0.3:
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(["a", " ", "\n", "日", ESC, ";", "9"]) + text[at:]
        texts.append(chance.choice(frames).replace("{}", text))
    return texts
