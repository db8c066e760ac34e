// A page of any tables in Chromium: all of them, all rows, with what their columns are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, pageTest, picture } from "./browser.mjs";

const json = (file) => JSON.parse(readFileSync(join(PAGES, `${file}.json`), "utf8"));

for (const file of ["analysis", "analysis-hostile", "analysis-huge"]) {
  pageTest(`one card per table that has rows: ${file}`, `tables-${file}`, async (page) => {
    const { tables, runs } = json(file);
    const counts = Object.fromEntries(
      Object.entries({ runs, ...tables }).filter(([, rows]) => rows.length > 0).map(([id, rows]) => [id, rows.length]),
    );
    const found = await page.$$eval("#cards > section", (all) => all.map((one) => [one.id, one.querySelector(".count").textContent]));
    assert.deepEqual(
      Object.fromEntries(found.map(([id, text]) => [id, Number(text.replace(/[^0-9]/g, ""))])),
      counts,
    );
    assert.equal(await page.textContent("#title"), `<b>kr</b> ${file}`);
    assert.equal(await page.locator("main script, main img, main b, main u").count(), 0);
  });
}

pageTest("columns have units, and say what they are", "tables-analysis", async (page) => {
  assert.match(await page.textContent("#devices thead"), /span \((µs|ns|ms)\)/i);
  const hint = await page.getAttribute('#devices [data-column="busy_ns"]', "title");
  assert.match(hint, /^busy_ns: .+\.$/);
  await page.selectOption("#unit", "ns");
  assert.match(await page.textContent("#devices thead"), /\(ns\)/);
  assert.match(page.url(), /unit=ns/);
  const { tables } = json("analysis");
  const at = await page.$eval('#devices [data-column="span_ns"]', (one) => one.closest("th").cellIndex);
  const spans = await page.$$eval("#devices tbody tr", (rows, at) => rows.map((row) => row.cells[at].textContent), at);
  assert.deepEqual(spans.map((text) => Number(text.replace(/[^0-9]/g, ""))), tables.devices.map((row) => row.span_ns));
});

pageTest("both sides of a comparison have one unit, and a change has its own", "tables-comparison", async (page) => {
  const units = async (table) =>
    Object.fromEntries(
      await page.$$eval(`#${table} thead [data-column]`, (all) =>
        all.map((one) => [one.dataset.column, (one.closest("th").textContent.match(/\((s|ms|µs|ns)\)/) || [])[1]]),
      ),
    );
  for (const table of ["label_changes", "name_changes", "substitutions"]) {
    const of = await units(table);
    assert.ok(of.a_ns && of.b_ns, `${table}: ${JSON.stringify(of)}`);
    for (const [column, unit] of Object.entries(of)) {
      if (column.startsWith("a_")) assert.equal(of[column.replace("a_", "b_")], unit, `${table}.${column}`);
    }
  }
  const of = await units("label_changes");
  assert.notEqual(of.a_ns, of.a_per_call_ns);
  assert.match(await page.textContent("#substitutions tbody"), /sampling_900.*sampling_1/s);
});

pageTest("hostile names are text, and found by what is shown", "tables-analysis-hostile", async (page) => {
  const names = await page.$$eval("#kernels_by_device tbody .name-cell", (all) => all.map((one) => one.textContent));
  assert.ok(names.some((name) => name.startsWith("</script><script>")));
  assert.ok(names.includes("broken \\xff\\xc3 utf-8 \\x80"));
  await page.locator("#kernels_by_device input").fill("\\xff");
  await page.waitForFunction(() => document.querySelectorAll("#kernels_by_device tbody tr").length === 1);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('#kernels_by_device button:text-is("CSV")')]);
  assert.match(readFileSync(await download.path(), "utf8").split("\n")[0], /^run,.*name,.*total_ns/);
  assert.match(await page.textContent("#notes"), /dropped records: 3 × events with a <u>negative<\/u> duration/);
});

pageTest("times beyond a double are exact", "tables-analysis-huge", async (page) => {
  await page.selectOption("#unit", "ns");
  assert.match(await page.textContent("#kernels_by_device tbody"), /20,000,000,000,000,001/);
});

pageTest("long tables are cut, and the page says so", "tables-analysis-wide", async (page) => {
  assert.match(await page.textContent("#steps .card-head"), /The page has the first 1,000 of 3,000\./);
  assert.equal(await page.locator("#steps tbody tr").count(), 100);
});

pageTest("dark, and narrow", "tables-analysis", async (page) => {
  await picture(page, "tables-dark.png");
  await page.setViewportSize({ width: 420, height: 800 });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 420);
}, { dark: true });
