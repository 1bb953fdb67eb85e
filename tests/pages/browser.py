#!/usr/bin/env python3
"""Opens pages of the stkr command in headless Chromium and checks that they show no errors and fit the
width of a phone and of a desktop.

Usage: browser.py PATH_OF_STKR [FOLDER]      FOLDER keeps the pages, to look at them
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = (390, 1280)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=20000"]

# Each page in a frame of each width. A frame is too narrow if its page can be scrolled sideways.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre><script>
const found = [], wanted = %s;
let left = wanted.length;
for (const [page, width] of wanted) {
  const frame = document.createElement("iframe");
  frame.style.width = width + "px";
  frame.style.height = "2000px";
  frame.style.border = "0";
  frame.onload = () => {
    const root = frame.contentDocument.documentElement;
    const wide = [...frame.contentDocument.querySelectorAll("main *")].filter(
      (one) => !one.closest(".scroll, .plot") && one.getBoundingClientRect().right > width + 1);
    const broken = [...frame.contentDocument.images].filter((one) => !one.naturalWidth);
    found.push({page, width, scroll: root.scrollWidth, client: root.clientWidth,
                text: frame.contentDocument.body.innerText.length, broken: broken.length,
                heading: frame.contentDocument.querySelector("h1").innerText,
                wide: wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 120))});
    if (--left == 0) document.getElementById("found").textContent = JSON.stringify(found);
  };
  frame.src = page;
  document.body.append(frame);
}
</script>"""


def make_pages(stkr, folder):
    """Pages of every kind, ordinary and extreme. Returns their names."""
    def run(*words):
        subprocess.run([stkr, *words], cwd=folder, check=True, capture_output=True)

    quick = ["--families", "power,inverse-laplacian", "--etas", "0.9,0.99,0.999"]
    long_name = "a class with a very long name, as exported from a questionnaire " * 3
    rows = ["x,y,class"]
    for k in range(40):
        label = ["<script>alert(1)</script>", long_name, ""][k % 3]
        rows.append(f'{k % 7},{k % 5 + 9 * (k % 2)},"{label}"')
    (folder / "hostile.csv").write_text("\n".join(rows) + "\n")
    blocks = ",".join(["10"] * 60)
    run("data", "make", "block-model", "-o", "many.npz", "--blocks", blocks, "--p-in", "0.9", "--p-out", "0.001",
        "--per-class", "2")
    run("data", "make", "swiss-roll", "-o", "roll.csv", "--samples", "150")
    run("fit", "digits", "-o", "digits.npz", "--per-class", "5", "--html", "fit.html", "--image", "8x8")
    run("predict", "digits.npz", "digits", "-o", "answers.csv", "--html", "predict.html", "--image", "8x8")
    run("select", "digits", "--per-class", "5", *quick, "--kernels", "knn,rbf", "--html", "select.html")
    run("fit", "hostile.csv", "-o", "hostile.npz", "--html", "hostile.html")
    run("fit", "many.npz", "-o", "model.npz", "--html", "many.html")
    run("fit", "roll.csv", "-o", "roll.npz", "--html", "numbers.html")
    run("select", "roll.csv", *quick, "--html", "select-numbers.html")
    run("explain", "digits", "--per-class", "5", "--html", "explain.html")
    return sorted(path.name for path in folder.glob("*.html"))


def look(folder, pages):
    """What the browser finds, per page and width, and what it writes to its console."""
    harness = folder / "harness.htm"
    harness.write_text(HARNESS % json.dumps([[page, width] for page in pages for width in WIDTHS]))
    with tempfile.TemporaryDirectory() as profile:
        ran = subprocess.run(["chromium", *FLAGS, f"--user-data-dir={profile}", "--window-size=1400,2000",
                              "--dump-dom", harness.as_uri()],
                             capture_output=True, text=True, timeout=120)
    match = re.search(r'<pre id="found">(.+?)</pre>', ran.stdout, re.DOTALL)
    if not match:
        sys.exit(f"the browser shows nothing (exit {ran.returncode}): {ran.stdout[-500:]} {ran.stderr[-2000:]}")
    console = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(match[1])), console


def main():
    stkr = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary).resolve()
        folder.mkdir(exist_ok=True)
        pages = make_pages(stkr, folder)
        found, console = look(folder, pages)
        failures = [f"console: {line}" for line in console]
        if len(found) != len(pages) * len(WIDTHS):
            failures.append(f"{len(found)} of {len(pages) * len(WIDTHS)} pages were shown")
        for one in found:
            where = f"{one['page']} at {one['width']} px"
            if one["scroll"] > one["client"]:
                failures.append(f"{where}: {one['scroll']} px wide: {one['wide']}")
            if one["text"] < 300:
                failures.append(f"{where}: hardly any text")
            if one["broken"]:
                failures.append(f"{where}: {one['broken']} pictures are broken")
        for page in pages:
            if (folder / page).stat().st_size > 1_000_000:
                failures.append(f"{page}: more than 1 MB")
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(found)} views of {len(pages)} pages, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
