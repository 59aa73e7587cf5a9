"""A report that is open in Debian's Chromium, and what tests ask of it."""

import io
import os
import subprocess
import sys
import time

try:
    from PIL import Image
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (packages python3-selenium, python3-pil)")
    sys.exit(0)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ROOT + "/build/release/factosim"
HOSTILE = "</script><script>window.hacked=1</script>\"'<img src=x onerror=window.hacked=2>&amp; " + "漢字🙂ñ" * 60
checks = 0  # that were made


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def factosim(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    check(done.returncode == 0, f"factosim {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def start_browser():
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1400,900", "--force-device-scale-factor=1"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


class Page:
    """A report that is open."""

    def __init__(self, browser, file, patience=60):
        self.browser = browser
        browser.get("file://" + file)
        end = time.time() + patience
        while self.js("return document.documentElement.dataset.state") != "ready":
            if time.time() > end:
                raise SystemExit(f"FAILED: {file} opens: {browser.get_log('browser')}")
            time.sleep(0.02)
        self.settle()

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def settle(self):
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))")

    def key(self, keys):
        ActionChains(self.browser).send_keys(keys).perform()
        self.settle()

    def range(self):
        return self.js("return [factosim.view.t0, factosim.view.t1]")

    def scales(self):
        """What every panel on the time axis that is in sight shows."""
        return self.js("""return factosim.plots.map(({panel}) => panel.plot).filter((p) => p && p.visible)
                          .map((p) => [p.plot.scales.x.min, p.plot.scales.x.max])""")

    def show(self, section):
        self.js("const s = document.getElementById(arguments[0]); scrollTo(0, s.offsetTop - 110)", section)
        time.sleep(0.1)
        self.settle()

    def sections(self):
        return self.js("return [...document.querySelectorAll('main > section')].filter((s) => !s.hidden).map((s) => s.id)")

    def no_errors(self):
        severe = [entry for entry in self.browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        check(not severe, f"no errors on the console: {severe}")
        check(self.js("return performance.getEntriesByType('resource').length") == 0, "nothing was loaded from elsewhere")

    def colors(self, section):
        """How many pixels of the screen have each colour, within a section."""
        self.show(section)
        box = self.js("const r = document.getElementById(arguments[0]).getBoundingClientRect(); return [r.x, r.y, r.right, r.bottom]",
                      section)
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        box = [max(0, int(box[0])), max(0, int(box[1])), min(picture.width, int(box[2])), min(picture.height, int(box[3]))]
        return {"#%02x%02x%02x" % color: count for count, color in picture.crop(box).getcolors(1 << 18)}
