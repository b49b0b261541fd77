#!/usr/bin/env python3
"""The pages that byoc writes, in a browser: nothing goes wrong, nothing is wider than the window, light and dark, on a
phone and in print; tables sort, and what is known of a box is shown by a click and by the keyboard alone.

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
WIDTHS = {"desk": (1200, 900), "phone": (400, 800)}


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
                 scratch / "model.html", scratch / "archive.html", scratch / "check.html"]
        subprocess.run([byoc, "export", model, *common, "-o", scratch / "m.a", "--report", pages[0]], check=True)
        subprocess.run([byoc, "partition", model, *common, "--report", pages[1]], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([byoc, "run", model, *common, "--report", pages[2]], check=True)
        subprocess.run([byoc, "export", model, "--target", "host", "-q", "--executor", "graph", "-o", scratch / "g.tar"],
                       check=True)
        shutil.unpack_archive(scratch / "g.tar", scratch / "g")
        graph = next((scratch / "g").rglob("*.graph"))
        pages[3].write_bytes(subprocess.run([byoc, "inspect", graph, "--html"], check=True, capture_output=True).stdout)
        for page, file in ((pages[4], model), (pages[5], scratch / "m.a")):
            page.write_bytes(subprocess.run([byoc, "inspect", file, "--html"], check=True, capture_output=True).stdout)
        plugin = arguments.build / "tests" / "abi" / "c_backend_plugin.so"
        subprocess.run([byoc, "check-plugin", plugin, "-q", "--only", "table", "--report", pages[6]], check=True)
        with Browser(driver, scratch) as browser:
            for page in pages:
                check_looks(browser, page, arguments.shots)
            for page in pages[:-1]:  # the last one has one row in each table
                check_sorting(browser, page)
            for page in (*pages[:2], pages[4]):
                check_details(browser, page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
