#!/usr/bin/env python3
"""The pages that byoc writes, in a browser: nothing goes wrong, nothing is wider than the window, light and dark, on a
phone and in print; tables fit a laptop and sort; what is known of a box is shown by a click and by the keyboard alone; drawings
grow, are searched and become files; every page says what it was made of.

The browser is Chromium, asked through the WebDriver protocol (W3C) on loopback. Skips where it is not installed.
"""

import argparse
import base64
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

SKIP = 77
ENTER = "\ue007"
WIDTHS = {"desk": (1280, 900), "phone": (400, 800)}


class Browser:
    """A session of chromedriver, which ends with the block."""

    def __init__(self, driver, scratch):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([driver, f"--port={port}", "--allowed-ips=127.0.0.1"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--disable-sync", f"--user-data-dir={scratch}/profile"]
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                  "goog:chromeOptions": {"args": arguments}}
        end = time.monotonic() + 60
        while True:
            try:
                answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
                break
            except urllib.error.HTTPError as error:
                raise SystemExit(f"no browser: {error.read().decode()}") from error
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.session = f"/session/{answer['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()

    def ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.loads(response.read())["value"]

    def post(self, path, **body):
        return self.ask("POST", self.session + path, body)

    def devtools(self, command, **params):
        return self.post("/goog/cdp/execute", cmd=command, params=params)

    def run(self, script, *arguments):
        return self.post("/execute/sync", script=script, args=list(arguments))

    def open(self, path, size, media="", scheme="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                      mobile=size[0] < 500)
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.post("/url", url=path.as_uri())

    def complaints(self):
        return self.post("/se/log", type="browser")

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.ask("GET", self.session + "/screenshot")))


def expect(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")


def check_size(browser, page, name):
    wide = browser.run("return [document.documentElement.scrollWidth, window.innerWidth]")
    expect(wide[0] <= wide[1], f"{page.name}, {name}: {wide[0]} pixels wide in a window of {wide[1]}")


def check_looks(browser, page, shots):
    """Every page in every form."""
    papers = set()
    for scheme in ("light", "dark"):
        for name, size in WIDTHS.items():
            browser.open(page, size, scheme=scheme)
            check_size(browser, page, f"{name}, {scheme}")
            papers.add(browser.run("return getComputedStyle(document.body).backgroundColor"))
            if shots:
                browser.screenshot(shots / f"{page.stem}-{name}-{scheme}.png")
    browser.open(page, WIDTHS["desk"])
    wide = browser.run("""return [...document.querySelectorAll('table')].map((t) => t.parentElement)
      .filter((s) => s.scrollWidth > s.clientWidth)
      .map((s) => `${s.getAttribute('aria-label')}: ${s.scrollWidth} in ${s.clientWidth}`)""")
    expect(wide == [], f"{page.name}: tables are wider than {WIDTHS['desk'][0]} pixels: {wide}")
    facts = browser.run("return [...document.querySelectorAll('.facts dt')].map((t) => t.textContent)")
    expect(facts[0] == "byoc" and ("options" in facts or facts[1:] == ["before", "after"]), f"{page.name} says of what it was made: {facts}")
    expect(len(papers) == 2, f"{page.name}: light and dark have the same paper")
    browser.open(page, (800, 1100), media="print")
    check_size(browser, page, "print")
    expect(browser.complaints() == [], f"{page.name}: the browser's console has {browser.complaints()}")
    expect(browser.run("return performance.getEntriesByType('resource').length") == 0, f"{page.name} fetches something")


def check_sorting(browser, page):
    """Every numeric column that has different numbers sorts up and down."""
    browser.open(page, WIDTHS["desk"])
    sorted_columns = browser.run("""
      let count = 0;
      for (const table of document.querySelectorAll('table'))
        [...table.tHead.rows[0].cells].forEach((head, column) => {
          if (!head.classList.contains('number')) return;
          const numbers = () => [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.order));
          head.querySelector('button').click();
          const up = numbers();
          head.querySelector('button').click();
          const down = numbers();
          const ordered = (all, sign) => all.every((n, i) => i === 0 || sign * (n - all[i - 1]) >= 0);
          if (!ordered(up, 1) || !ordered(down, -1)) throw new Error('not sorted: ' + head.textContent);
          if (head.getAttribute('aria-sort') !== 'descending') throw new Error('not said: ' + head.textContent);
          if (new Set(up).size > 1) ++count;
        });
      return count;""")
    expect(sorted_columns > 0, f"{page.name}: no column to sort")


def check_details(browser, page):
    browser.open(page, WIDTHS["desk"])
    shown = "return [...document.querySelectorAll('.detail')].filter((d) => d.offsetParent).map((d) => d.id)"
    expect(browser.run(shown) == [], f"{page.name}: details are shown before anybody asks")
    browser.run("document.querySelector('svg a[href=\"#n0\"]').dispatchEvent(new MouseEvent('click', "
                "{bubbles: true, cancelable: true}))")
    expect(browser.run(shown) == ["n0"], f"{page.name}: a click shows {browser.run(shown)}")
    # By the keyboard alone: the second box has the focus, and Enter follows it.
    browser.run("document.querySelector('svg a[href=\"#n1\"]').focus()")
    browser.post("/actions", actions=[{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": ENTER}, {"type": "keyUp", "value": ENTER}]}])
    expect(browser.run(shown) == ["n1"], f"{page.name}: Enter shows {browser.run(shown)}")


def check_code(browser, page):
    """A click on a layer shows its C and its assembly beside each other; below each other on a phone."""
    for name, beside in (("desk", True), ("phone", False)):
        browser.open(page, WIDTHS[name])
        parts = "return [...document.querySelectorAll('details.code')].filter((d) => d.offsetParent).length"
        expect(browser.run(parts) == 0, f"{page.name}: code is shown before anybody asks")
        browser.run("document.querySelector('svg a[href=\"#n0\"]').dispatchEvent(new MouseEvent('click', "
                    "{bubbles: true, cancelable: true}))")
        shown = browser.run("""
          return [...document.querySelectorAll('details.code[open]')].map((d) => {
            const [c, assembly] = [...d.querySelectorAll('pre')];
            const [left, right] = [c.getBoundingClientRect(), assembly.getBoundingClientRect()];
            return [c.textContent.includes('('), /^ +0 {2}\\w/m.test(assembly.textContent), left.top === right.top];
          });""")
        expect(len(shown) == 2 and all(part == [True, True, beside] for part in shown),
               f"{page.name}, {name}: of a layer and its kernel is shown {shown}")


def check_tools(browser, page):
    """A drawing grows, is searched, and is offered as a file; a section folds."""
    browser.open(page, WIDTHS["desk"])
    width = "return Number(document.querySelector('.drawing svg').getAttribute('width'))"
    before = browser.run(width)
    browser.run("document.querySelector('[aria-label=larger]').click()")
    expect(browser.run(width) > before, f"{page.name}: the drawing does not grow")
    found = browser.run("""
      const field = document.querySelector('.tools input');
      const boxes = [...document.querySelectorAll('.drawing svg a')];
      const words = boxes[1].querySelector('title').textContent.slice(0, 12).toUpperCase();
      field.value = words;
      field.dispatchEvent(new Event('input'));
      const marked = (name) => boxes.filter((b) => b.classList.contains(name)).length;
      return [boxes[1].classList.contains('found'), marked('found') + marked('faded') === boxes.length];""")
    expect(found == [True, True], f"{page.name}: a search finds {found}")
    browser.run("document.querySelector('.tools input').focus()")
    browser.post("/actions", actions=[{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": ENTER}, {"type": "keyUp", "value": ENTER}]}])
    shown = browser.run("return document.querySelectorAll('.detail.shown').length")
    expect(shown == 1, f"{page.name}: Enter in the search shows {shown} boxes")
    file = browser.run("""
      let file = null;
      HTMLAnchorElement.prototype.click = function () { file = [this.download, this.href.slice(0, 5)]; };
      [...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'download SVG').click();
      return file;""")
    expect(file and file[0].endswith(".svg") and file[1] == "blob:", f"{page.name}: the drawing is offered as {file}")
    folded = browser.run("""
      const section = document.querySelector('section');
      const height = section.offsetHeight;
      section.querySelector('h2 button').click();
      return [section.offsetHeight < height, section.querySelector('h2 button').getAttribute('aria-expanded')];""")
    expect(folded == [True, "false"], f"{page.name}: a section folds: {folded}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--shots", type=Path, help="folder that gets a picture of each page")
    arguments = parser.parse_args()
    driver = shutil.which("chromedriver")
    if not driver or not shutil.which("chromium"):
        print("skipped: chromium and chromium-driver are not installed")
        return SKIP
    byoc, networks = arguments.build / "bin" / "byoc", arguments.build / "networks"
    model = networks / "ds_cnn_int8.tflite"
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        common = ["--target", "cortex-m4f", "-q"]
        pages = [scratch / "export.html", scratch / "partition.html", scratch / "run.html", scratch / "graph.html",
                 scratch / "model.html", scratch / "archive.html", scratch / "difference.html", scratch / "frontier.html",
                 scratch / "check.html"]
        subprocess.run([byoc, "export", model, *common, "-o", scratch / "m.a", "--report", pages[0]], check=True)
        subprocess.run([byoc, "partition", model, *common, "--report", pages[1]], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([byoc, "run", model, *common, "--cycles", "--compare", "--report", pages[2], "--stats",
                        scratch / "before.json"], check=True)
        subprocess.run([byoc, "run", model, *common, "--cycles", "--optimize", "size", "--stats", scratch / "after.json"],
                       check=True)
        subprocess.run([byoc, "report", scratch / "before.json", scratch / "after.json", "-o", pages[6]], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([byoc, "run", networks / "resnet8_int8.tflite", *common, "--ram-frontier", "--report", pages[7]],
                       check=True)
        subprocess.run([byoc, "export", model, "--target", "host", "-q", "--executor", "graph", "-o", scratch / "g.tar"],
                       check=True)
        shutil.unpack_archive(scratch / "g.tar", scratch / "g")
        graph = next((scratch / "g").rglob("*.graph"))
        pages[3].write_bytes(subprocess.run([byoc, "inspect", graph, "--html"], check=True, capture_output=True).stdout)
        for page, file in ((pages[4], model), (pages[5], scratch / "m.a")):
            page.write_bytes(subprocess.run([byoc, "inspect", file, "--html"], check=True, capture_output=True).stdout)
        plugin = arguments.build / "tests" / "abi" / "c_backend_plugin.so"
        subprocess.run([byoc, "check-plugin", plugin, "-q", "--only", "table", "--report", pages[8]], check=True)
        with Browser(driver, scratch) as browser:
            for page in pages:
                check_looks(browser, page, arguments.shots)
            for page in pages[:-1]:  # the last one has one row in each table
                check_sorting(browser, page)
            for page in (*pages[:2], pages[4]):
                check_details(browser, page)
                check_tools(browser, page)
            check_code(browser, pages[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
