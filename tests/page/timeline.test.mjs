// The timeline of `kr report` in Chromium: its sums, what it draws, zoom, keys and clicks.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { PAGES, pageTest, picture } from "./browser.mjs";

/** Waits until a change is drawn. */
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const range = (page) => page.evaluate(() => [timeline.from, timeline.to]);
const place = (page, kind, at = 0) =>
  page.evaluate(([kind, at]) => {
    const row = timeline.rows.filter((one) => one.kind === kind)[at];
    const box = timeline.canvas.getBoundingClientRect();
    return { left: box.left + timeline.gutter(), right: box.right, y: box.top + row.y + row.height / 2, top: box.top };
  }, [kind, at]);
/** The place in the window of a time of the lane `lane`. */
async function pointOf(page, time, lane = 0) {
  await page.locator("#timeline").scrollIntoViewIfNeeded();
  const { y } = await place(page, "lane", lane);
  const x = await page.evaluate((time) => timeline.canvas.getBoundingClientRect().left + timeline.x(time), time);
  return [x, y];
}
/** The colour of the picture there, as `#rrggbb`. */
const colorAt = (page, [x, y]) =>
  page.evaluate(([x, y]) => {
    const { canvas } = timeline;
    const box = canvas.getBoundingClientRect();
    const scale = canvas.width / box.width;
    const copy = document.createElement("canvas");
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, (x - box.left) * scale, (y - box.top) * scale, 1, 1, 0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((one) => one.toString(16).padStart(2, "0")).join("")}`;
  }, [x, y]);

/** An operation of the first lane: its name, start and end. */
const operation = (page, name) =>
  page.evaluate((name) => {
    const run = shownTimelines[0];
    const at = run.nameOf.findIndex((one) => kernelRows[0][one].name === name);
    return { start: run.starts[at], end: run.ends[at], middle: (run.starts[at] + run.ends[at]) / 2 };
  }, name);

for (const file of ["timeline", "timeline-many", "timeline-two"]) {
  pageTest(`${file}: the columns have the time of every label, to the ns, at any width`, file, async (page) => {
    const wrong = await page.evaluate(() => {
      const wrong = [];
      for (const by of dimensions) {
        update({ by });
        const { list, ofName } = timelineLabels.get();
        for (const run of shownTimelines) {
          let finer = null;
          for (let step = run.finest() * 8; step < run.span * 4; step *= 2) {
            if (run.exact && step < 4096) continue;
            const columns = run.columns(0, run.span, step, list.length, ofName[run.number]);
            list.forEach(({ label, cells }, at) => {
              let sum = 0;
              for (const lane of columns.sums) for (let i = at; i < lane.length; i += list.length) sum += lane[i];
              if (BigInt(sum) !== cells[run.number].total) wrong.push(`${by} ${label} at ${step}: ${sum}`);
            });
            columns.busy.forEach((busy, device) => {
              const row = rowsOf("devices").filter((one) => one.run === runs[run.number].run)[device];
              const sum = busy.reduce((all, ns) => all + ns, 0);
              if (sum !== Number(row.busy_ns)) wrong.push(`busy ${device} at ${step}: ${sum}`);
              if (busy.some((ns) => ns > step)) wrong.push(`a column of ${step} is busier than it is long`);
            });
            // Each column is the sum of two of half the width.
            if (finer) {
              columns.sums.forEach((lane, number) =>
                lane.forEach((ns, i) => {
                  const [column, label] = [Math.floor(i / list.length), i % list.length];
                  const halves = [0, 1].map((half) => finer.sums[number][(2 * column + half) * list.length + label] || 0);
                  if (halves[0] + halves[1] !== ns) wrong.push(`${step}: lane ${number}, column ${column}`);
                }),
              );
            }
            finer = columns;
          }
        }
      }
      return wrong.slice(0, 5);
    });
    assert.deepEqual(wrong, []);
  });
}

pageTest("operations have the colours of their labels", "timeline", async (page) => {
  const { start, end, middle } = await operation(page, "gemm_mlp");
  await page.evaluate(([from, to]) => timeline.show(from - 3000, to + 3000), [start, end]);
  await drawn(page);
  // Device 1 has one stream: operations are drawn one by one.
  const { y } = await place(page, "lane", 1);
  const x = await page.evaluate((time) => timeline.canvas.getBoundingClientRect().left + timeline.x(time + 50), middle);
  assert.equal(await colorAt(page, [x, y + 12]), "#4e79a7");
  await page.evaluate(() => update({ hidden: new Set(["gemm"]) }));
  await drawn(page);
  assert.notEqual(await colorAt(page, [x, y + 12]), "#4e79a7");
});

pageTest("buttons, wheel and keys zoom; drag and arrows move", "timeline", async (page) => {
  await page.locator("#timeline").scrollIntoViewIfNeeded();
  const whole = await range(page);
  assert.equal(whole[0], 0);
  await page.click("#timeline-in");
  const half = await range(page);
  assert.ok(Math.abs((half[1] - half[0]) * 2 - whole[1]) < 2, `${half}`);
  await page.click("#timeline-whole");
  assert.deepEqual(await range(page), whole);

  const [x, y] = await pointOf(page, whole[1] / 4);
  await page.mouse.move(x, y);
  const top = await page.evaluate(() => scrollY);
  await page.mouse.wheel(0, 20); // without Ctrl the page scrolls
  await page.waitForFunction((top) => scrollY > top, top);
  assert.deepEqual(await range(page), whole);
  const [x2, y2] = await pointOf(page, whole[1] / 4);
  await page.mouse.move(x2, y2);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await page.waitForFunction((to) => timeline.to - timeline.from < to / 2, whole[1]);
  const [from, to] = await range(page);
  const pixels = await page.evaluate(() => timeline.x(wholeSpan / 4) + timeline.canvas.getBoundingClientRect().left);
  assert.ok(Math.abs(pixels - x2) < 2, "the time under the pointer stays there");

  await drawn(page);
  const lane = await place(page, "lane");
  await page.mouse.move(lane.left + 300, lane.y);
  await page.mouse.down();
  await page.mouse.move(lane.left + 200, lane.y, { steps: 4 });
  await page.mouse.up();
  const moved = await range(page);
  const pixel = (to - from) / (lane.right - lane.left);
  assert.ok(Math.abs(moved[0] - from - 100 * pixel) < 2 * pixel, `${moved} after ${from}`);
  assert.equal(await page.evaluate(() => kernelTable.marked), null, "a drag selects nothing");

  await page.focus("#timeline-view");
  for (const [key, check] of [
    ["+", (now, before) => now[1] - now[0] < before[1] - before[0]],
    ["ArrowRight", (now, before) => now[0] > before[0]],
    ["ArrowLeft", (now, before) => now[0] < before[0]],
    ["-", (now, before) => now[1] - now[0] > before[1] - before[0]],
    ["Home", (now) => now[0] === 0],
    ["End", (now) => now[1] === whole[1]],
    ["0", (now) => now[0] === 0 && now[1] === whole[1]],
  ]) {
    const before = await range(page);
    await page.keyboard.press(key);
    const now = await range(page);
    assert.ok(check(now, before), `${key}: ${before} to ${now}`);
  }
  // With the focus the wheel zooms by itself.
  const [x3, y3] = await pointOf(page, whole[1] / 2);
  await page.mouse.move(x3, y3);
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((to) => timeline.to - timeline.from < to, whole[1]);
});

pageTest("two fingers zoom", "timeline", async (page) => {
  const [x, y] = await pointOf(page, await page.evaluate(() => wholeSpan / 2));
  const whole = await range(page);
  await page.evaluate(([x, y]) => {
    const send = (type, pointerId, clientX) =>
      timeline.box.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: y, pointerType: "touch", bubbles: true }));
    timeline.box.setPointerCapture = () => {}; // these pointers do not exist
    send("pointerdown", 11, x - 50);
    send("pointerdown", 12, x + 50);
    send("pointermove", 12, x + 150);
    send("pointerup", 11, x - 50);
    send("pointerup", 12, x + 150);
  }, [x, y]);
  const [from, to] = await range(page);
  assert.ok(Math.abs((to - from) * 2 - whole[1]) < whole[1] / 50, `${from} to ${to}`);
});

pageTest("a click selects the kernel in the table", "timeline", async (page) => {
  await page.evaluate(() => update({ label: "comm", search: "nothing" }));
  const { start, middle } = await operation(page, "attn_decode");
  await page.evaluate((at) => timeline.show(at - 4000, at + 4000), start);
  await drawn(page);
  const [x, y] = await pointOf(page, middle + 50, 1);
  await page.mouse.click(x, y);
  assert.equal(await page.evaluate(() => kernelTable.marked.name), "attn_decode");
  assert.equal(await page.textContent("#kernels tr.chosen td"), "attn_decode");
  assert.equal(await page.textContent(".detail .full-name"), "attn_decode");
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector("#kernels tr.chosen").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
});

pageTest("Enter selects the kernel in the middle of the row that the arrows choose", "timeline", async (page) => {
  const { middle } = await operation(page, "rms_norm");
  await page.evaluate((at) => timeline.show(at + 50 - 200, at + 50 + 200), middle);
  await drawn(page);
  await page.focus("#timeline-view");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => kernelTable.marked.name), "rms_norm");
});

pageTest("the tooltip has the label, its exact time and share, and the name", "timeline", async (page) => {
  const { start, end, middle } = await operation(page, "gemm_mlp");
  await page.evaluate(([from, to]) => timeline.show(from - 1000, to + 1000), [start, end]);
  await drawn(page);
  let [x, y] = await pointOf(page, middle + 50, 1);
  await page.mouse.move(x, y);
  let text = await page.innerText(".timeline-tip");
  assert.match(text, /^gemm\n/);
  assert.match(text, /gemm_mlp/);
  assert.match(text, /Duration\s+1\.200 µs · 1,200 ns/);
  // Two streams: a column, of which the label is a part.
  [x, y] = await pointOf(page, middle, 0);
  await page.mouse.move(x, y);
  text = await page.innerText(".timeline-tip");
  const step = await page.evaluate(() => shownTimelines[0].drawn.step);
  assert.match(text, /^gemm\n+gemm_mlp\n/);
  assert.match(text, new RegExp(`Time\\s+${step} ns · ${step} ns\\s+100(\\.0)? %`));
  // Nothing runs before the next step.
  const idle = await page.evaluate(() => timeline.rows.find((row) => row.kind === "bands").bands[1].start - 2000);
  await page.evaluate((at) => timeline.show(at - 500, at + 500), idle);
  await drawn(page);
  [x, y] = await pointOf(page, idle, 0);
  await page.mouse.move(x, y);
  assert.match(await page.innerText(".timeline-tip"), /^Idle/);
});

pageTest("steps and layers are bands; a click on a step zooms to it", "timeline", async (page) => {
  const bands = await page.evaluate(() =>
    timeline.rows.filter((row) => row.kind === "bands").map((row) => ({ device: row.device.device, layers: row.layers, names: row.bands.map((band) => timeline.bandName(row, band)) })),
  );
  const steps = bands.find((row) => row.device === 0 && !row.layers);
  assert.deepEqual(steps.names, ["prefill", ...Array.from({ length: 30 }, (_, at) => `decode ${at + 1}`)]);
  const layers = bands.find((row) => row.device === 0 && row.layers);
  assert.equal(layers.names.length, 31 * 8);
  assert.equal(layers.names[9], "layer 1");
  await page.locator("#timeline").scrollIntoViewIfNeeded();
  const { left, right, y } = await place(page, "bands");
  await page.mouse.click((left + right) / 2, y);
  const [from, to] = await range(page);
  const band = await page.evaluate(() => timeline.rows.find((row) => row.kind === "bands").bands.find((one) => one.start >= timeline.from));
  assert.ok(band.end <= to && (to - from) / (band.end - band.start) < 1.1);
});

pageTest("streams are lanes of their own when asked for", "timeline", async (page) => {
  const lanes = () => page.evaluate(() => timeline.lanes().map((row) => timeline.laneName(row).trim()));
  assert.deepEqual(await lanes(), ["device 0", "device 1"]);
  await page.click("#timeline button:text('Streams')");
  await drawn(page);
  assert.deepEqual(await lanes(), ["device 0", "stream 7", "stream 20", "device 1"]);
});

pageTest("the span is in the address, which shows it again", "timeline", async (page) => {
  assert.deepEqual(await range(page), [10000, 50000]);
  await page.evaluate(() => timeline.show(20000, 60000));
  await page.waitForFunction(() => location.hash.includes("span=20000-60000"));
  await page.evaluate(() => (location.hash = "#span=60000-5"));
  await page.waitForFunction(() => timeline.from === 0 && timeline.to === wholeSpan);
}, { hash: "#span=10000-50000" });

pageTest("it has a role, a name, keys and a summary in words", "timeline", async (page) => {
  const box = page.locator("#timeline-view");
  assert.equal(await box.getAttribute("role"), "application");
  assert.equal(await box.getAttribute("tabindex"), "0");
  assert.match(await box.getAttribute("aria-label"), /^Timeline by substage: 0 ns to .*Plus and minus zoom/);
  const summary = await page.textContent("#timeline-summary");
  assert.match(summary, /device 0: busy [\d.]+ % \(gemm [\d.]+ %, .*\)\. device 1: /);
  assert.match(await page.textContent("#timeline .card-head"), /every operation, to the ns/);
});

pageTest("a page of very many operations is small, and says how fine it is", "timeline-many", async (page) => {
  assert.ok(statSync(join(PAGES, "timeline-many.html")).size < 5_000_000);
  const finest = await page.evaluate(() => shownTimelines[0].finest());
  assert.ok(finest > 1000 && finest < 10_000_000, `${finest} ns`);
  assert.match(await page.textContent("#timeline .card-head"), /finest: [\d.]+ [µm]s per bin/);
  // A dimension with a label per name has bins by name, which are wider.
  await page.evaluate(() => update({ by: "operation" }));
  assert.ok(await page.evaluate(() => shownTimelines[0].finest()) > finest);
  await page.evaluate(() => update({ by: "substage" }));
  const [x, y] = await pointOf(page, await page.evaluate(() => wholeSpan / 2), 0);
  await page.mouse.move(x, y + 10);
  assert.match(await page.innerText(".timeline-tip"), /mostly gemm_\d+ \([\d.,]+ [µm]s of the [\d.,]+ [µm]s around\), \d+ names/);
  const slowest = await page.evaluate(async () => {
    let slowest = 0;
    for (const part of [1, 0.5, 0.1, 0.01]) {
      timeline.show(0, wholeSpan * part);
      const begin = performance.now();
      timeline.draw();
      slowest = Math.max(slowest, performance.now() - begin);
    }
    return slowest;
  });
  if (process.env.KR_TIMES) console.log(`drawn in ${slowest} ms`);
  assert.ok(slowest < 1000, `${slowest} ms`);
  // Far in, a bin is wide.
  await page.evaluate(() => timeline.show(wholeSpan / 2, wholeSpan / 2));
  const [from, to] = await range(page);
  assert.equal(to - from, 16 * finest);
});

pageTest("several runs are below each other", "timeline-two", async (page) => {
  const rows = await page.evaluate(() => timeline.rows.filter((row) => row.kind !== "bands").map((row) => row.kind));
  assert.deepEqual(rows, ["run", "lane", "lane", "run", "lane", "lane"]);
});

pageTest("a run without operations has no timeline", "timeline-empty", async (page) => {
  assert.equal(await page.locator("#timeline").count(), 0);
});

pageTest("printed, it is the whole span in light colours", "timeline", async (page) => {
  await page.evaluate(() => timeline.show(10000, 20000));
  await drawn(page);
  const zoomed = await range(page);
  const printed = await page.evaluate(() => {
    let shown = null;
    const before = timeline.drawAxis;
    timeline.drawAxis = function () {
      shown = [this.from, this.to === wholeSpan, this.ink.card];
      before.call(this);
    };
    dispatchEvent(new Event("beforeprint"));
    timeline.drawAxis = before;
    dispatchEvent(new Event("afterprint"));
    return shown;
  });
  assert.deepEqual(printed, [0, true, "rgb(255, 255, 255)"]);
  assert.deepEqual(await range(page), zoomed);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
}, { dark: true });

for (const width of [1440, 1024, 390]) {
  for (const dark of [false, true]) {
    pageTest(`${width} pixels, ${dark ? "dark" : "light"}`, "timeline", async (page) => {
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
      const box = await page.locator("#timeline-view canvas").boundingBox();
      assert.ok(box.width > width * 0.7 && box.width <= width, `${box.width} wide`);
      await picture(page, `timeline-${width}-${dark ? "dark" : "light"}.png`);
    }, { dark, size: { width, height: 900 } });
  }
}
