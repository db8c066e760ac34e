// The page of an analysis in Chromium: what it shows, what it does, what it must not do.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, pageTest } from "./browser.mjs";

const json = (file) => readFileSync(join(PAGES, `${file}.json`), "utf8");
const cards = (page) => page.$$eval("#parts > section", (all) => all.map((one) => one.id));
const column = (page, card, at) =>
  page.$$eval(`#${card} tbody tr`, (rows, at) => rows.map((row) => row.cells[at]?.textContent), at);
const heading = (page, card, name) => page.locator(`#${card} thead button[data-column="${name}"]`);

for (const file of ["analysis", "analysis-one", "analysis-hostile", "analysis-wide", "analysis-empty", "analysis-huge"]) {
  pageTest(`the data is what --format json writes: ${file}`, file, async (page) => {
    assert.equal(await page.evaluate(() => analysisText()), json(file));
  });
}

pageTest("a card a part that has something to say", "analysis", async (page) => {
  const there = await cards(page);
  for (const one of ["breakdown", "ranks", "rank_steps", "steps", "phases", "layers", "kernels", "launches", "attribution", "activity", "names_only_in"]) {
    assert.ok(there.includes(one), `${one} is missing in ${there}`);
  }
  assert.equal(await page.locator("#contents a").count(), there.length);
  assert.equal(await page.locator("#breakdown tbody tr").count(), 2);
  assert.deepEqual((await column(page, "names_only_in", 0)).sort(), ["only_here", "only_there"]);
  assert.match(await page.textContent("#layers tbody"), /period of 4 kernels, 8 times/);
  await page.screenshot({ path: join(PAGES, "analysis.png"), fullPage: true });
});

pageTest("ranks: which is slowest, and how even they are", "analysis", async (page) => {
  const rows = JSON.parse(json("analysis")).ranks;
  assert.equal(await page.locator("#rank_steps tbody tr").count(), rows.steps.length);
  assert.match(await page.textContent("#ranks"), /rank 1, device 0/);
});

pageTest("bars of devices add up, the longest span the whole width", "analysis", async (page) => {
  const widths = await page.$$eval("#breakdown .parts", (bars) =>
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
  const totals = async () => (await column(page, "kernels", 4)).map((text) => BigInt(text.replace(/[^0-9]/g, "")));
  const sorted = (values, order) => values.every((value, at) => at === 0 || order(values[at - 1], value));
  assert.equal(await page.getAttribute('#kernels th:has([data-column="total_ns"])', "aria-sort"), "descending");
  assert.ok(sorted(await totals(), (a, b) => a >= b));
  await heading(page, "kernels", "total_ns").focus();
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute('#kernels th:has([data-column="total_ns"])', "aria-sort"), "ascending");
  assert.ok(sorted(await totals(), (a, b) => a <= b));
  assert.equal(await page.evaluate(() => document.activeElement.dataset.column), "total_ns");
  await heading(page, "kernels", "name").click();
  const names = await column(page, "kernels", 0);
  assert.ok(sorted(names, (a, b) => a <= b));
});

pageTest("a search leaves what fits", "analysis", async (page) => {
  const field = page.locator("#kernels input");
  await field.fill("GEMM");
  await page.waitForFunction(() => document.querySelector("#kernels [role=status]").textContent.includes(" of "));
  assert.ok((await column(page, "kernels", 0)).every((name) => name.includes("gemm")));
  await field.fill("nothing has this");
  await page.waitForFunction(() => document.querySelector("#kernels tbody").textContent === "Nothing fits.");
});

pageTest("long tables begin with some rows, and show more", "analysis-wide", async (page) => {
  assert.equal(await page.locator("#kernels tbody tr").count(), 25);
  await page.click("#kernels .more");
  assert.equal(await page.locator("#kernels tbody tr").count(), 275);
  await heading(page, "kernels", "max_ns").click();
  assert.match((await column(page, "kernels", 0))[0], /_2999$/);
});

pageTest("names are whole when they are pressed", "analysis-hostile", async (page) => {
  const button = page.locator("#kernels button.link", { hasText: "kkkkkkkk" });
  const low = await button.evaluate((one) => one.offsetHeight);
  await button.focus();
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  assert.ok((await button.evaluate((one) => one.offsetHeight)) > 3 * low);
});

pageTest("hostile names are text", "analysis-hostile", async (page) => {
  const names = await column(page, "kernels", 0);
  assert.ok(names.some((name) => name.startsWith("</script><script>")));
  assert.ok(names.includes("broken \\xff\\xc3 utf-8 \\x80"));
  assert.ok(names.includes(":1234567890123456789,"));
  assert.ok(names.includes("nul \\x00 inside"));
  assert.equal(await page.locator("main script, main img, main b").count(), 0);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator("#kernels .actions button", { hasText: "CSV" }).click(),
  ]);
  assert.match(readFileSync(await download.path(), "utf8"), /^'=cmd/m);
});

pageTest("times beyond a double are exact", "analysis-huge", async (page) => {
  const totals = await column(page, "kernels", 4);
  assert.deepEqual(totals.map((text) => text.replace(/[^0-9]/g, "")), ["20000000000000001", "1000000000000003".padStart(16, "0")]);
});

pageTest("steps: bars in order, the same sums, another dimension, another run", "analysis", async (page) => {
  const check = () =>
    page.evaluate(() => {
      const steps = runs[Number(state.run)].steps;
      const series = stepSeries(steps);
      return steps.every((step) => series.reduce((sum, one) => sum + inSeries(step, one), 0n) === BigInt(step.total_ns));
    });
  assert.ok(await check());
  await page.waitForFunction(() => chart && chart.getOption().series.length > 0);
  assert.equal(await page.evaluate(() => chart.getOption().xAxis[0].data.length), 7);
  await page.click('#by button:text-is("stage")');
  assert.match(page.url(), /by=stage/);
  assert.ok(await check());
  const before = await column(page, "steps", 4);
  await page.selectOption("#steps select", "1");
  assert.notDeepEqual(await column(page, "steps", 4), before);
  assert.ok(await check());
});

pageTest("the address brings the choices back", "analysis", async (page) => {
  assert.equal(await page.evaluate(() => `${state.by} ${state.unit} ${state.run}`), "stage ns 1");
  assert.match(await page.textContent("#kernels thead"), /Total \(ns\)/);
}, { hash: "#by=stage&unit=ns&run=1" });

pageTest("an address that makes no sense does no harm", "analysis", async (page) => {
  assert.equal(await page.evaluate(() => `${state.by} ${state.unit} ${state.run}`), "substage auto 0");
}, { hash: "#by=<b>&unit=years&run=99" });

pageTest("no GPU work is said", "analysis-empty", async (page) => {
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
  await page.screenshot({ path: join(PAGES, "analysis-narrow.png"), fullPage: true });
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
  assert.ok(await page.evaluate(() => byId("kernels").contains(document.activeElement)));
});
