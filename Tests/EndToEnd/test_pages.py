"""A page that /export writes, in a browser: it shows what was said, runs nothing and fetches nothing."""

import html
import re
import shutil
import struct
import subprocess
import urllib.parse
import zlib

import pytest

BROWSER = shutil.which("chromium")
pytestmark = [pytest.mark.browser, pytest.mark.skipif(not BROWSER, reason="chromium is not installed: make test-pages")]


@pytest.fixture
def browser(tmp_path):
    def run(*words):
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/browser", *words]
        return subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode()

    return run


@pytest.fixture
def page(parley, scripted):
    """A page of two questions, and the words that a reader must find."""
    away = scripted.url("ok")
    answer = f"""# Roses
    
a **bold** word, <script>document.title = "owned"</script> and <img src="{away}/tag.png">
![photo]({away}/photo.png) [run](javascript:document.title="owned")

```c
int a = 1; // </code></pre><script>document.title = "owned"</script>
```

| left | right |
|------|------:|
| 日本 | <iframe src="{away}/frame"> |

<link rel=stylesheet href="{away}/style.css">

```html
<p onclick="x">never closed"""
    parley.run("-s", scripted.url("says", urllib.parse.quote(answer, safe="")), "how do <i>roses</i> grow?\nsay & show")
    file = parley.directory / "page.html"
    assert parley.run("/export", "html", "roses", str(file)).status == 0
    scripted.forget()
    return file


def test_a_browser_shows_all_of_it_and_runs_and_fetches_nothing(page, browser, scripted):
    document = browser("--dump-dom", f"file://{page}")
    assert "<title>how do &lt;i&gt;roses&lt;/i&gt; grow?" in document
    body = document[document.index("<body"):]
    for tag in ("<script", "<iframe", "<link", "<i>", "onclick=\"", "javascript:"):
        assert tag not in body.replace("&lt;", "").lower(), tag
    text = html.unescape(re.sub(r"<[^>]*>", "", body))
    for words in ("how do <i>roses</i> grow?\nsay & show", "Roses", "a bold word", '<script>document.title = "owned"</script>',
                  "photo", "run", "int a = 1; // </code></pre><script>", "日本", "<iframe src=", "<link rel=stylesheet",
                  '<p onclick="x">never closed'):
        assert words in text, words
    assert '<span class="comment">' in body and "<strong>bold</strong>" in body
    assert scripted.requests == []


def test_it_is_light_or_dark_as_the_reader_wants(page, browser, tmp_path):
    def corner(*words):
        file = tmp_path / "shot.png"
        browser(*words, "--window-size=300,200", f"--screenshot={file}", f"file://{page}")
        return first_pixel(file.read_bytes())

    assert corner() == (255, 255, 255)
    assert max(corner("--blink-settings=preferredColorScheme=0")) < 60


def test_it_can_be_printed(page, browser, tmp_path):
    file = tmp_path / "page.pdf"
    browser(f"--print-to-pdf={file}", f"file://{page}")
    assert file.read_bytes().startswith(b"%PDF-")


def first_pixel(png):
    """Of the first row nothing stands above or before the first pixel, so that its filter changes nothing."""
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    return tuple(zlib.decompress(data)[1:4])
