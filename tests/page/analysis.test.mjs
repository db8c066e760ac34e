// The page of a report with all sections in Chromium: what it shows, what it does, what it must not do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, cardPictures, pageTest, picture } from "./browser.mjs";

const json = (file) => readFileSync(join(PAGES, `${file}.json`), "utf8");
const cards = (page) => page.$$eval("#cards [id]", (all) => all.map((one) => one.id));
const column = (page, card, at) =>
  page.$$eval(`#${card} tbody tr`, (rows, at) => rows.map((row) => row.cells[at]?.textContent), at);
const heading = (page, card, name) => page.locator(`#${card} thead button[data-column="${name}"]`);

for (const file of ["analysis", "analysis-hostile", "analysis-empty", "analysis-huge"]) {
  pageTest(`the data is what --format json writes: ${file}`, file, async (page) => {
    assert.equal(await page.evaluate(() => resultsText()), json(file));
  });
}

pageTest("one card per result that has rows", "analysis", async (page) => {
  const there = await cards(page);
  for (const one of ["devices", "idle", "ranks", "rank_steps", "steps", "phases", "layers", "kernels_by_device", "launches", "launch_queue", "attribution", "activity", "activity_ratios", "names_only_in"]) {
    assert.ok(there.includes(one), `${one} is missing in ${there}`);
  }
  assert.equal(await page.locator("#contents a").count(), await page.locator("#cards > .part").count());
  assert.equal(await page.locator("#devices tbody tr").count(), 2);
  assert.deepEqual((await column(page, "names_only_in", 0)).sort(), ["only_here", "only_there"]);
  await page.click("#layers .fold");
  assert.match(await page.textContent("#layers tbody"), /period of 4 kernels, 8 times/);
  await picture(page, "analysis.png");
});

pageTest("GPU metrics: labels by metrics, empty without samples", "analysis-gpu", async (page) => {
  const { gpu_utilization: rows, gpu_metric_labels: means, gpu_clock: clocks } = JSON.parse(json("analysis-gpu")).tables;
  const shown = rows.filter((row) => row.dimension === "substage");
  assert.equal(await page.locator("#gpu_metrics tbody tr:not(.sizer)").count(), shown.length);
  const heads = await page.$$eval("#gpu_metrics thead button", (all) => all.map((one) => one.textContent.trim()));
  const ratios = new Set(means.filter((row) => row.mean_ratio !== null).map((row) => row.metric));
  assert.equal(ratios.size, 15);
  for (const metric of ratios) {
    const name = metric.replace(/ \[[^\]]*%\]$/, "");
    assert.ok(heads.some((head) => head.includes(name)), `no column for ${name} in ${heads}`);
  }
  const norm = shown.find((row) => row.label === "misc");
  assert.ok(norm.samples < 2);
  const cells = await page.$$eval("#gpu_metrics tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
  const unsampled = cells.find((row) => row[0] === "misc" || row[1] === "misc");
  // Not 0: of no metric a value is known. Device and counts of samples are 0.
  assert.equal(unsampled.filter((cell) => cell === "–").length, ratios.size, `${unsampled}`);
  assert.equal(await page.locator("#gpu_clock tbody tr:not(.sizer)").count(), clocks.filter((row) => row.dimension === "substage").length);
  await cardPictures(page, "analysis-gpu", ["gpu_metrics", "gpu_clock"]);
});

pageTest("GPU metrics over ranks: each value in its unit", "analysis-gpu", async (page) => {
  const { gpu_metric_balance: all, gpu_metric_phase_balance: phases, gpu_metric_label_balance: labels } = JSON.parse(json("analysis-gpu")).tables;
  assert.equal(all.length, 16);
  assert.ok(phases.length > 0 && phases.every((row) => row.devices === 2));
  const shown = { gpu_metric_balance: all.length, gpu_metric_phase_balance: Math.min(phases.length, 25), gpu_metric_label_balance: 15 };
  assert.ok(labels.filter((row) => row.dimension === "substage").length > 15);
  for (const [card, rows] of Object.entries(shown)) {
    assert.equal(await page.locator(`#${card} tbody tr:not(.sizer)`).count(), rows, card);
  }
  const cells = await page.$$eval("#gpu_metric_balance tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
  const clock = cells.find((row) => row[0].startsWith("GPC Clock"));
  assert.deepEqual(clock.slice(2, 5).map((text) => text.replace(/[0-9.]+ /, "")), ["GHz", "GHz", "GHz"]);
  for (const row of cells.filter((one) => one !== clock)) {
    for (const text of row.slice(2, 5)) assert.match(text, /^[0-9.]+ %$/, row[0]);
  }
  await cardPictures(page, "analysis-gpu", Object.keys(shown));
});

pageTest("memory: the peak, and the step that has it; no card without events", "analysis-gpu", async (page) => {
  const { memory: [whole], memory_phases: phases } = JSON.parse(json("analysis-gpu")).tables;
  const heads = await page.$$eval("#memory thead button", (all) => all.map((one) => one.dataset.column));
  const cells = await page.$$eval("#memory tbody tr:not(.sizer)", (rows) => rows.map((row) => [...row.cells]).map((row) => row.map((cell) => cell.textContent.trim())));
  assert.equal(cells.length, 1);
  const cell = (name) => cells[0][heads.indexOf(name)];
  assert.equal(whole.peak_bytes, 11 * 2 ** 20);
  assert.equal(cell("peak_bytes"), "11.5 M");
  assert.equal(cell("peak_step"), whole.peak_step);
  assert.ok(!heads.includes("peak_module")); // the trace has no modules
  assert.equal(await page.locator("#memory_phases tbody tr:not(.sizer)").count(), phases.length);
  await cardPictures(page, "analysis-gpu", ["memory", "memory_phases"]);
});

pageTest("ranks: which is slowest, and how even they are", "analysis", async (page) => {
  const { rank_step_balance: steps, rank_steps: times } = JSON.parse(json("analysis")).tables;
  assert.equal(await page.locator("#rank_times tbody tr").count(), 2);
  assert.match(await page.textContent("#ranks"), /rank 1/);
  await page.selectOption("#unit", "ns");
  const cells = await page.$$eval("#rank_steps tbody tr", (rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );
  assert.equal(cells.length, steps.length);
  const digits = (text) => text.replace(/[^0-9]/g, "");
  steps.forEach((step, at) => {
    const own = times.filter((one) => one.phase === step.phase && one.step === step.step).map((one) => String(one.own_ns));
    assert.deepEqual(cells[at].slice(-2).map(digits), own);
  });
});

pageTest("bars of devices add up, the longest span the whole width", "analysis", async (page) => {
  const widths = await page.$$eval("#devices .bar", (bars) =>
    bars.map((bar) => ({
      whole: parseFloat(bar.style.width),
      parts: [...bar.children].reduce((sum, part) => sum + parseFloat(part.style.width), 0),
    })),
  );
  assert.ok(widths.every((one) => Math.abs(one.parts - 100) < 0.01));
  assert.equal(Math.max(...widths.map((one) => one.whole)), 100);
  assert.ok(Math.min(...widths.map((one) => one.whole)) < 100);
});

pageTest("tables are sorted by their headings, with the keyboard too", "analysis-one", async (page) => {
  await page.selectOption("#unit", "ns");
  const totals = async () => (await column(page, "kernels_by_device", 4)).map((text) => BigInt(text.replace(/[^0-9]/g, "")));
  const sorted = (values, order) => values.every((value, at) => at === 0 || order(values[at - 1], value));
  assert.equal(await page.getAttribute('#kernels_by_device th:has([data-column="total_ns"])', "aria-sort"), "descending");
  assert.ok(sorted(await totals(), (a, b) => a >= b));
  await heading(page, "kernels_by_device", "total_ns").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute('#kernels_by_device th:has([data-column="total_ns"])', "aria-sort"), "ascending");
  assert.ok(sorted(await totals(), (a, b) => a <= b));
  assert.equal(await page.evaluate(() => document.activeElement.dataset.column), "total_ns");
  await heading(page, "kernels_by_device", "name").click();
  const names = await column(page, "kernels_by_device", 0);
  assert.ok(sorted(names, (a, b) => a <= b));
});

pageTest("a search keeps the rows that match", "analysis", async (page) => {
  const field = page.locator("#kernels_by_device input");
  await field.fill("GEMM");
  await page.waitForFunction(() => document.querySelector("#kernels_by_device [role=status]").textContent.includes(" of "));
  assert.ok((await column(page, "kernels_by_device", 0)).every((name) => name.includes("gemm")));
  await field.fill("nothing has this");
  await page.waitForFunction(() => document.querySelector("#kernels_by_device tbody").textContent === "No row matches.");
});

pageTest("long tables begin with some rows, and show more", "analysis-wide", async (page) => {
  await page.click("#kernels_by_device .fold");
  assert.equal(await page.locator("#kernels_by_device tbody tr").count(), 25);
  await page.click("#kernels_by_device .more");
  assert.equal(await page.locator("#kernels_by_device tbody tr").count(), 275);
  await heading(page, "kernels_by_device", "max_ns").click();
  assert.match((await column(page, "kernels_by_device", 0))[0], /_2999$/);
});

pageTest("names are complete when they are pressed", "analysis-hostile", async (page) => {
  const button = page.locator("#kernels_by_device button.link", { hasText: "kkkkkkkk" });
  const low = await button.evaluate((one) => one.offsetHeight);
  await button.focus();
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  assert.ok((await button.evaluate((one) => one.offsetHeight)) > 3 * low);
});

pageTest("hostile names are text", "analysis-hostile", async (page) => {
  const names = await column(page, "kernels_by_device", 0);
  assert.ok(names.some((name) => name.startsWith("</script><script>")));
  assert.ok(names.includes("broken \\xff\\xc3 utf-8 \\x80"));
  assert.ok(names.includes(":1234567890123456789,"));
  assert.ok(names.includes("nul \\x00 inside"));
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("#kernels_by_device .actions button", { hasText: "CSV" }).click(),
  ]);
  assert.match(readFileSync(await download.path(), "utf8"), /^'=cmd/m);
});

pageTest("times beyond a double are exact", "analysis-huge", async (page) => {
  await page.selectOption("#unit", "ns");
  const totals = await column(page, "kernels_by_device", 4);
  assert.deepEqual(totals.map((text) => text.replace(/[^0-9]/g, "")), ["20000000000000001", "1000000000000003".padStart(16, "0")]);
});

pageTest("steps: bars in order, the same sums, another dimension, another run", "analysis", async (page) => {
  const check = () =>
    page.evaluate(() => {
      const { rows, series, valueOf } = stackOf("steps", Number(state.step_run));
      const shares = series.reduce((sum, one) => sum + one.share, 0);
      return Math.abs(shares - 1) < 1e-9 && rows.every((step) => series.reduce((sum, one) => sum + valueOf(step, one), 0n) === BigInt(step.total_ns));
    });
  assert.ok(await check());
  await page.click('#by button:text-is("stage")');
  assert.match(page.url(), /by=stage/);
  assert.ok(await check());
  const before = await column(page, "steps", 4);
  await page.selectOption("#steps select", "1");
  assert.notDeepEqual(await column(page, "steps", 4), before);
  assert.ok(await check());
});

pageTest("tables with a row per percent, cause or evidence are shown with one row per key", "analysis", async (page) => {
  const { activity, activity_longest: longest, activity_ratios: ratios, idle } = JSON.parse(json("analysis")).tables;
  assert.equal(await page.locator("#activity tbody tr").count(), activity.length);
  const shares = await column(page, "activity", 8);
  activity.forEach((row, at) => {
    const one = longest.find((other) => other.run === row.run && other.type === row.type && other.percent === 1);
    assert.ok(one.instances === 0 ? shares[at] === "–" : Math.abs(Number(shares[at]) - one.share * 100) <= 0.0501, shares[at]);
  });
  assert.equal(await page.locator("#activity_ratios tbody tr").count(), ratios.filter((row) => row.percent === 100).length);
  const [ratio] = await column(page, "activity_ratios", 2);
  assert.equal(ratio, await page.evaluate((ratio) => shortNumber(ratio), ratios.find((row) => row.percent === 100).ratio));
  const bars = [...new Set(idle.map((row) => `${row.run}/${row.device}`))];
  assert.equal(await page.locator("#idle .split").count(), bars.length);
  assert.equal(await page.locator("#attribution .split .bar > span").count(), 6);
  const legends = await page.$$eval("#idle .split-legend", (all) => all.map((one) => one.textContent));
  const percents = await page.evaluate((shares) => shares.map(percentText), idle.map((row) => row.share));
  percents.forEach((percent, at) => assert.ok(legends[bars.indexOf(`${idle[at].run}/${idle[at].device}`)].includes(percent)));
});

pageTest("tiles are sums over all devices of all runs", "analysis", async (page) => {
  const { devices } = JSON.parse(json("analysis")).tables;
  const sum = (rows, name) => rows.reduce((all, row) => all + row[name], 0);
  const human = (ns) => page.evaluate((ns) => humanTime(BigInt(ns)), ns);
  const tiles = await page.textContent("#tiles");
  assert.ok(tiles.includes(`Span${await human(sum(devices, "span_ns"))}`));
  assert.ok(tiles.includes(`${await human(sum(devices, "busy_ns"))} of the span`));
});

pageTest("notes: warnings, inexact times and dropped records, of a run and of all", "analysis-hostile", async (page) => {
  const notes = await page.$$eval("#notes .note", (all) => all.map((one) => [one.className, one.textContent]));
  assert.deepEqual(notes, [
    ...(await page.evaluate(() => healthNotes())).map(({ text, warning }) => [warning ? "note warning" : "note", text]),
    ["note warning", "dropped records: 3 × events with a <u>negative</u> duration (first at 1,234)"],
    ["note warning", "times are not exact: the trace has times in <u>whole</u> microseconds"],
    ["note warning", "The file ends in the middle of <u>an event</u>."],
    ["note", "20,000 × 20000 groups of unexplained names, with 0 ns of time, omitted; --top 0 shows all"],
  ]);
});

pageTest("every evidence of a place has words of its own", "analysis", async (page) => {
  const raw = await page.evaluate(() => {
    const all = ["launch", "creation", "range", "layer", "instance", "kind", "within", "abstain", "none"];
    const [first] = rowsOf("attribution");
    results.tables.attribution = all.map((evidence) => ({ ...first, evidence, operations: 1, total_ns: 5, share: 0.1 }));
    drawAll();
    return [...document.querySelectorAll("#attribution .split-legend > span")].map((one) => one.textContent.trim());
  });
  assert.equal(raw.length, 9);
  for (const text of raw) assert.match(text, /^(In|By) /);
});

pageTest("notes are one line that opens", "analysis", async (page) => {
  const [one] = JSON.parse(json("analysis")).notes;
  const first = { ...one, severity: "warning" };
  await page.evaluate((note) => {
    results.notes = Array.from({ length: 40 }, (_, at) => ({ ...note, text: `${note.text} (${at})` }));
    drawNotes(notesOfResults());
  }, first);
  assert.equal(await page.locator("#notes .note:visible").count(), 0);
  assert.equal(await page.textContent("#notes summary"), "40 warnings");
  assert.ok((await page.locator("#notes").boundingBox()).height < 30);
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-print"));
  assert.equal(await page.locator("#notes .note.warning:visible").count(), 40);
  await page.emulateMedia({ media: "screen" });
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-print"));
  assert.equal(await page.locator("#notes .note:visible").count(), 0);
  await page.click("#notes summary");
  assert.equal(await page.locator("#notes .note.warning:visible").count(), 40);
  assert.match(await page.locator("#notes .note").first().textContent(), /^rank 0: /);
});

pageTest("verdicts lead to the card of their table", "analysis", async (page) => {
  await page.evaluate(() => {
    results.tables.verdicts = [{ run: runs[1].run, code: "host-bound", severity: "warning", text: "The GPU waits.", source_table: "idle" }];
    drawAll();
  });
  assert.equal(await page.textContent("#verdicts"), "rank 1: The GPU waits. Idle");
  await page.click("#verdicts .go");
  assert.ok(await page.evaluate(() => byId("idle-section").contains(document.activeElement)));
});

pageTest("tables that the data does not contain have no card", "analysis", async (page) => {
  const there = await page.evaluate(() => {
    for (const name of ["launches", "launch_matching", "idle", "idle_calls", "step_labels", "activity_longest"]) delete results.tables[name];
    drawAll();
    return [...byId("cards").querySelectorAll("[id]")].map((one) => one.id);
  });
  assert.ok(!there.includes("launches") && !there.includes("idle"));
  assert.ok(there.includes("steps") && there.includes("activity"));
});

pageTest("the address brings the choices back", "analysis", async (page) => {
  assert.equal(await page.evaluate(() => `${state.by} ${state.unit} ${state.step_run}`), "stage ns 1");
  assert.match(await page.textContent("#kernels_by_device thead"), /Total \(ns\)/);
}, { hash: "#by=stage&unit=ns&step_run=1" });

pageTest("an address that makes no sense does no harm", "analysis", async (page) => {
  assert.equal(await page.evaluate(() => `${state.by} ${state.unit} ${state.step_run}`), "substage auto 0");
}, { hash: "#by=<b>&unit=years&step_run=99" });

pageTest("a run without GPU work says so", "analysis-empty", async (page) => {
  assert.ok(await page.isVisible("#empty"));
  assert.ok(await page.isHidden("#tiles"));
});

pageTest("dark and light, and narrow", "analysis-one", async (page) => {
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await color();
  await page.click("#theme");
  assert.notEqual(await color(), dark);
  await page.click("#theme");
  assert.equal(await color(), dark);
  await page.setViewportSize({ width: 480, height: 800 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth); // charts follow
  await picture(page, "analysis-narrow.png");
}, { dark: true });

pageTest("everything that is pressed has a name and takes the keyboard", "analysis", async (page) => {
  const bad = await page.$$eval("button, a, input, select", (all) =>
    all
      .filter((one) => one.offsetParent !== null)
      .filter((one) => one.tabIndex < 0 ? one.getAttribute("role") !== "radio" : !(one.textContent.trim() || one.getAttribute("aria-label")))
      .map((one) => one.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(bad, []);
  await page.click('#contents a:has-text("Kernels")');
  assert.ok(await page.evaluate(() => byId("kernels-section").contains(document.activeElement)));
});

pageTest("efficiencies: every factor with its value, and curves with the ideal", "analysis-scaling", async (page) => {
  const { scaling } = JSON.parse(json("analysis-scaling")).tables;
  assert.equal(await page.locator("#efficiency .factors").count(), 2);
  const shown = await page.$$eval("#efficiency .factors:first-of-type tbody tr", (rows) => rows.map((row) => [row.cells[0].textContent, ...[...row.cells].slice(1).map((cell) => cell.title)]));
  const column = { "Parallel efficiency": "parallel_efficiency", "Load balance": "load_balance", "Global efficiency": "global_efficiency" };
  let compared = 0;
  for (const [name, ...values] of shown.slice(0, 7)) {
    if (!(name in column)) continue;
    const wanted = scaling.filter((row) => row.nccl === "useful").map((row) => String(row[column[name]]));
    assert.deepEqual(values, wanted);
    ++compared;
  }
  assert.equal(compared, 3);
  assert.match(await page.textContent("#efficiency thead"), /1 <b>ranks1 device2 <b>ranks2 devices/);
  // Speedup and efficiencies of both readings; three jobs on each curve.
  assert.equal(await page.locator("#efficiency .curves").count(), 4);
  assert.equal(await page.locator("#efficiency .curves polyline.ideal").count(), 4);
  const points = await page.$$eval("#efficiency .curves polyline:not(.ideal)", (lines) => lines.map((line) => line.points.length));
  assert.ok(points.length >= 14 && points.every((count) => count === 3), String(points));
  await picture(page, "analysis-scaling.png");
});

pageTest("one job: its readings side by side", "analysis", async (page) => {
  assert.equal(await page.locator("#efficiency .factors").count(), 1);
  assert.equal(await page.locator("#efficiency .factors thead th").count(), 2);
  assert.equal(await page.locator("#efficiency .curves").count(), 0);
});
