"""How large a report is, how long it takes to make, and how long a browser takes to show it.

    python benchmarks/report_size.py [--records 10000] [--logs 1] [--smoke]

The questions are those of the benchmark over and over, each with a text and an answer of its own:
the gold answer and a passage of a document, 600 characters on average. With Chromium and selenium
(requirements-dev.txt), the page is opened, filtered and searched, too: three times in a new browser
each, of which the least is told, two seconds after it was loaded, as a reader looks first.
"""

import json
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from common import Run, parse_options, run, say_where

from ragifeval.benchmark.benchmark import Benchmark, load_benchmark
from ragifeval.paths import DOCUMENTS, SAMPLES

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)


BROWSERS, READ = 3, 2.0  # each a new one; seconds before the first filter


def write_samples(count: int, path: Path) -> None:
    """Write so many samples."""
    lines = SAMPLES.read_text(encoding="utf-8").splitlines()
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            sample = json.loads(lines[number % len(lines)])
            sample["id"] += f"-{number}"
            sample["question"] += f" (sprawa nr {number})"
            file.write(json.dumps(sample, ensure_ascii=False) + "\n")


def write_log(benchmark: Benchmark, count: int, number: int, path: Path) -> None:
    """Write a log with an answer to each of them."""
    pick = random.Random(number)
    samples = benchmark.samples
    with path.open("w", encoding="utf-8") as file:
        for place in range(count):
            sample = samples[place % len(samples)]
            text = benchmark.documents[pick.choice(sample.context)].contents
            start = pick.randrange(len(text) // 2)
            passage = text[start : start + pick.randrange(100, 800)]
            record = {
                "id": f"{sample.id}-{place}",
                "answer": f"{sample.reference} {passage} [{pick.randrange(4)}]",
                "finish_reason": "stop",
                "usage": {"prompt_tokens": 1500, "completion_tokens": 150},
                "seconds": round(pick.uniform(0.5, 5), 3),
                "error": None,
                "signature": f"matching:substring|mode:chat|model:model-{number}#0",
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def make_page(folder: Path, logs: list[Path]) -> tuple[Path, Run]:
    """Run the command; return the page, and what it took."""
    page = folder / "report.html"
    command = [sys.executable, "-m", "ragifeval", "report", *map(str, logs), "-o", str(page)]
    command += ["--eval_path", str(folder / "samples.jsonl")]
    return page, run(command)


def show(page: Path, folder: Path) -> dict[str, float]:
    """What was done in the browser -> how long it took, in seconds."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for flag in [*FLAGS.split(" "), f"--user-data-dir={folder / 'chromium'}"]:
        options.add_argument(flag)
    options.binary_location = shutil.which("chromium") or ""
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        driver.get(page.as_uri())
        milliseconds = {
            "loaded": driver.execute_script(
                "const [load] = performance.getEntriesByType('navigation');"
                "return load.loadEventEnd - load.startTime"
            ),
            "first paint": driver.execute_script(
                "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
            ),
        }
        time.sleep(READ)
        timed = (
            "const before = performance.now(); {}; document.body.offsetHeight;"
            "return performance.now() - before"
        )
        change = "document.getElementById('{}').value = '{}'; {}"
        event = "document.getElementById('points').dispatchEvent(new Event('change'))"
        for name, action in {
            "filtered": change.format("points", "lost", event),
            "searched first": change.format("search", "żółw", event),
            "searched again": change.format("search", "opłata", event),
            "ordered": change.format("order", "differ", event),
            "grid": change.format("view", "grid", event),
            "more shown": "document.getElementById('more').click()",
        }.items():
            milliseconds[name] = driver.execute_script(timed.format(action))
        return {name: value / 1000 for name, value in milliseconds.items()}
    finally:
        driver.quit()


def main() -> None:
    """Measure, and print."""
    options = parse_options(__doc__, records=10_000, logs=1)
    options.records = 100 if options.smoke else options.records
    say_where()
    benchmark = load_benchmark(DOCUMENTS, SAMPLES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(options.records, folder / "samples.jsonl")
        logs = [folder / f"log-{number}.jsonl" for number in range(options.logs)]
        for number, log in enumerate(logs):
            write_log(benchmark, options.records, number, log)
        size = sum(log.stat().st_size for log in logs) / 1e6
        print(f"{options.logs} x {options.records} records, {size:.1f} MB of logs")
        page, took = make_page(folder, logs)
        cost = f"{took.cpu:.1f} s of work, with {took.megabytes:.0f} MB of memory"
        print(f"made in {took.seconds:.1f} s, {cost}")
        print(f"the page: {page.stat().st_size / 1e6:.1f} MB")
        if shutil.which("chromium") and shutil.which("chromedriver"):
            shown = [show(page, folder / f"browser-{number}") for number in range(BROWSERS)]
            for name in shown[0]:
                print(f"{name}: {min(one[name] for one in shown):.2f} s")
        else:
            print("no Chromium here: how long it takes to show was not measured")


if __name__ == "__main__":
    main()
