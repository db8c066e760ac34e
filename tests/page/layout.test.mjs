// What is true of every page, whatever it shows: nothing is cut, all is readable, reachable by keyboard, named for
// screen readers, and whole on paper.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { PAGES, pageTest, picture } from "./browser.mjs";
import { nearestNeighbours } from "./colors.mjs";

const files = readdirSync(PAGES).filter((name) => name.endsWith(".html")).map((name) => name.slice(0, -".html".length)).sort();
const SIZES = [1440, 1024, 390].map((width) => ({ width, height: 900 }));

/** Two frames later, all has its size. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Texts of numbers and headings that do not fit their cells, and tables whose decimal points are not aligned. */
const cutNumbers = () => {
  const wrong = [];
  const inside = (part, whole) => {
    const [a, b] = [part.getBoundingClientRect(), whole.getBoundingClientRect()];
    return a.left >= b.left - 1 && a.right <= b.right + 1;
  };
  for (const cell of document.querySelectorAll(".data-table td.number, .data-table thead th, .tile > *, .verdict, .heading > *, .card-head > *, .chip-share, .pairs dd")) {
    if (cell.offsetParent === null || cell.closest(".sizer")) continue;
    const spans = [...cell.querySelectorAll("*")].filter((one) => one.offsetParent !== null && !one.matches(".unseen, .track *"));
    if (cell.scrollWidth > cell.clientWidth + 1 || spans.some((one) => !inside(one, cell))) wrong.push(`cut: ${cell.textContent}`);
    if (cell.matches("td.number") && cell.textContent.includes("…")) wrong.push(`shortened: ${cell.textContent}`);
  }
  for (const count of document.querySelectorAll(".name-cell .after")) {
    if (count.offsetParent !== null && !inside(count, count.closest("td"))) wrong.push(`cut: ${count.textContent}`);
  }
  for (const value of document.querySelectorAll("#icicle .node-value")) {
    const button = value.parentElement.getBoundingClientRect();
    const box = value.getBoundingClientRect();
    const seen = box.top < button.bottom - 2;
    if (seen && box.right > button.right + 1) wrong.push(`cut: ${value.textContent}`);
  }
  for (const table of document.querySelectorAll(".data-table")) {
    const points = new Map();
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, at) => {
        const fraction = cell.querySelector(".fraction");
        if (!fraction || cell.querySelector(".beside") || row.matches(".sizer")) return;
        const left = fraction.getBoundingClientRect().left;
        if (!points.has(at)) points.set(at, left);
        if (Math.abs(points.get(at) - left) > 1) wrong.push(`not aligned: ${cell.textContent} in ${table.caption.textContent}`);
      });
    }
  }
  return wrong.slice(0, 5);
};

/** Cards whose content is wider than they are, and what can be scrolled sideways without showing that. */
const beyondCards = () => {
  const cards = [...document.querySelectorAll(".card, .tile, .verdicts, #notes")].filter((one) => one.scrollWidth > one.clientWidth + 1);
  const unmarked = [...document.querySelectorAll(".scroll")].filter((one) => one.offsetParent !== null && one.scrollWidth > one.clientWidth + 1 && !one.closest(".frame[data-left], .frame[data-right]"));
  return [...cards, ...unmarked].map((one) => `${one.id || one.className}: ${one.scrollWidth} of ${one.clientWidth}`).slice(0, 5);
};

const beyondPage = () => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [`${scrollWidth} of ${clientWidth}`] : [];
};

/** Texts whose contrast with what is behind them is below 4.5. */
const faintTexts = () => {
  const parse = (text) => {
    const parts = text.match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
    const size = text.startsWith("color(") ? 255 : 1;
    return [...parts.slice(0, 3).map((one) => one * size), parts[3] ?? 1];
  };
  const over = ([r, g, b, alpha], below) => [r, g, b].map((value, at) => value * alpha + below[at] * (1 - alpha));
  const luminance = (color) => {
    const [r, g, b] = color.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // Of an element: the colour behind its texts, and its opacity with that of all around it.
  const known = new Map([[null, { behind: parse(getComputedStyle(document.body).backgroundColor).slice(0, 3), opacity: 1 }]]);
  const around = (one) => {
    if (!known.has(one)) {
      const outer = around(one.parentElement);
      const { backgroundColor, opacity } = getComputedStyle(one);
      known.set(one, { behind: over(parse(backgroundColor), outer.behind), opacity: outer.opacity * Number(opacity) });
    }
    return known.get(one);
  };
  const wrong = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let seen = 0; texts.nextNode() && seen < 2500; ) {
    const one = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === "" || one.closest("script, style, noscript, svg, canvas, .unseen, .sizer, :disabled")) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    ++seen;
    const { behind: background, opacity } = around(one);
    const color = parse(getComputedStyle(one).color);
    const [a, b] = [over([...color.slice(0, 3), color[3] * opacity], background), background].map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) wrong.add(`${contrast.toFixed(2)}: ${texts.currentNode.data.trim().slice(0, 40)} (${one.className || one.tagName})`);
  }
  return [...wrong].slice(0, 8);
};

/** On a narrow screen, the name of a row and its time are in view, also when the others are scrolled to. */
const scrolledAway = () => {
  const found = [];
  for (const scroll of document.querySelectorAll(".scroll")) {
    const row = scroll.querySelector("tbody tr:not(.sizer, .blank)");
    if (!row?.querySelector(".second")) continue;
    for (const place of [0, scroll.scrollWidth]) {
      scroll.scrollLeft = place;
      const box = scroll.getBoundingClientRect();
      const [name, time] = [".first", ".second"].map((one) => row.querySelector(one).getBoundingClientRect());
      const seen = name.left >= box.left - 1 && name.right <= time.left + 1 && time.right <= box.right + 1;
      if (!seen) found.push(`${scroll.getAttribute("aria-label")} at ${place}: ${[box.left, name.left, name.right, time.left, time.right, box.right].map(Math.round)}`);
    }
    scroll.scrollLeft = 0;
  }
  const unit = /\((s|ms|µs|ns)\)/;
  for (const table of document.querySelectorAll(".data-table")) {
    const heads = [...[...table.tHead.rows].at(-1).cells];
    if (heads.some((head) => unit.test(head.textContent)) && !heads.slice(0, 2).some((head) => unit.test(head.textContent))) {
      found.push(`no time in ${table.caption.textContent}`);
    }
  }
  return found;
};

/** What a printed page should not have: controls, a colour behind it, tables that are cut. */
const wrongOnPaper = () => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const number = (text) => Number(text.replace(/,/g, "").match(/\d+/)[0]);
  const controls = [...document.querySelectorAll(".tools, .actions, .contents, .quiet, input, select")].filter(seen);
  const cut = [...document.querySelectorAll(".scroll")].filter((one) => one.scrollHeight > one.clientHeight + 1);
  const wide = [...document.querySelectorAll(".chart, .data-table")].filter((one) => seen(one) && (one.matches(".chart") ? one.firstElementChild : one)?.getBoundingClientRect().width > 980);
  const found = [...controls, ...cut, ...wide].map((one) => `${one.tagName} ${one.className}`);
  const background = getComputedStyle(document.body).backgroundColor;
  if (background !== "rgb(255, 255, 255)") found.push(background);
  for (const card of document.querySelectorAll(".card")) {
    if (card.querySelectorAll(".data-table").length !== 1 || !card.querySelector(".count")) continue;
    // The count beside the heading says how many rows there are, the line below how many are left.
    const there = [...card.querySelectorAll("tbody tr")].filter((row) => !row.querySelector(".nothing") && seen(row)).length;
    const left = card.querySelector(".left");
    const all = there + (seen(left) ? number(left.textContent) : 0);
    if (all !== number(card.querySelector(".count").textContent)) found.push(`${card.id}: ${there} rows of ${card.querySelector(".count").textContent}`);
  }
  return found;
};

const wrongStructure = () => {
  const found = [];
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]));
  if (levels[0] !== 1 || levels.filter((level) => level === 1).length !== 1) found.push(`first headings: ${levels.slice(0, 3)}`);
  levels.forEach((level, at) => at > 0 && level > levels[at - 1] + 1 && found.push(`heading ${at} skips a level`));
  for (const table of document.querySelectorAll(".data-table")) {
    if (!table.caption?.textContent) found.push("a table without a caption");
    const heads = [...[...table.tHead.rows].at(-1).cells];
    if (heads.some((head) => head.scope !== "col")) found.push(`headings of ${table.caption.textContent} without a scope`);
    const sorts = heads.filter((head) => head.querySelector("button")).map((head) => head.getAttribute("aria-sort"));
    if (sorts.some((sort) => !["none", "ascending", "descending"].includes(sort)) || sorts.filter((sort) => sort !== "none").length > 1) {
      found.push(`aria-sort of ${table.caption.textContent}: ${sorts}`);
    }
  }
  return found;
};

/** Parts of the tree of screen readers that need a name and have none. */
async function withoutName(page) {
  const client = await page.context().newCDPSession(page);
  const { nodes } = await client.send("Accessibility.getFullAXTree");
  const roles = ["button", "link", "searchbox", "combobox", "radio", "radiogroup", "checkbox", "img", "image", "region", "table", "columnheader", "heading", "navigation"];
  return nodes.filter((node) => !node.ignored && roles.includes(node.role?.value) && !node.name?.value?.trim()).map((node) => node.role.value);
}

const MOST_TABS = 100;

/** What can be clicked, but is not reached by Tab in its order, or cannot be seen there. */
async function unreached(page) {
  const { count, keyless } = await page.evaluate(() => {
    const keys = "a[href], button:not([tabindex='-1']):not(:disabled), input, select, summary, [tabindex='0']";
    window.reached = [];
    const shown = [...document.querySelectorAll(keys)].filter((one) => one.checkVisibility({ visibilityProperty: true }));
    shown.forEach((one, at) => (one.dataset.order = at));
    addEventListener("focusin", ({ target }) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      window.reached.push({ at: Number(target.dataset.order), outlined: outlineStyle !== "none" && parseFloat(outlineWidth) > 0, text: target.textContent.slice(0, 30) });
    });
    const pointed = [...document.querySelectorAll("#cards *")].filter((one) => getComputedStyle(one).cursor === "pointer");
    const lost = pointed.filter((one) => !one.closest(`${keys}, button, label, [role='img'], .scroll[tabindex]`) && !one.querySelector(keys));
    return { count: shown.length, keyless: lost.map((one) => one.outerHTML.slice(0, 80)) };
  });
  const presses = Math.min(count, MOST_TABS);
  for (let at = 0; at < presses; ++at) await page.keyboard.press("Tab");
  const reached = (await page.evaluate(() => window.reached)).slice(0, presses);
  const wrong = reached.filter(({ at, outlined }, place) => at !== place || !outlined);
  return [...keyless, ...wrong, ...(reached.length < presses ? [`${reached.length} of ${presses} reached`] : [])].slice(0, 4);
}

/** Neighbours in charts and bars that some eyes cannot tell apart, and those without a line between them. */
async function alikeNeighbours(page) {
  const bars = await page.evaluate(() => {
    const series = chart.drawing ? chart.drawing.getOption().series.filter((one) => one.type === "bar" && one.name !== "") : [];
    const thin = series.length > 0 && series[0].data.length > 60; // no room for lines
    const drawn = series.map(({ itemStyle }) => ({ color: itemStyle.color, hatched: Boolean(itemStyle.decal), line: thin || itemStyle.borderWidth > 0 }));
    const stacked = [...document.querySelectorAll(".bar")].map((bar) =>
      [...bar.children].map((one, at) => {
        const { backgroundColor, backgroundImage, borderLeftWidth } = getComputedStyle(one);
        return { color: backgroundColor, hatched: backgroundImage !== "none", line: at === 0 || parseFloat(borderLeftWidth) > 0 };
      }),
    );
    return [drawn, ...stacked];
  });
  return bars.flatMap((bar) => [...nearestNeighbours(bar), ...bar.filter((part) => !part.line).map(({ color }) => `no line beside ${color}`)]);
}

// Large pages of kinds that others have, too.
const LARGE =
  /^(several|two|wide|analysis-(hostile|huge|one|wide)|tables-analysis(-(gpu|hostile|huge|one|scaling|wide))?|tree-(apart|cut|labels|many|single)|roofline-many|timeline-two|report-ranks)$/;

for (const file of files.filter((name) => process.env.KR_LONG || !LARGE.test(name))) {
  pageTest(`layout, colours, keyboard, screen readers, paper: ${file}`, file, async (page) => {
    const wrong = {};
    const check = (what, found) => found.length > 0 && (wrong[what] = found);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await settled(page);
      check(`cut, ${size.width} wide`, await page.evaluate(cutNumbers));
      check(`beyond the page, ${size.width} wide`, await page.evaluate(beyondPage));
      check(`beyond the cards, ${size.width} wide`, await page.evaluate(beyondCards));
    }
    check("scrolled away", await page.evaluate(scrolledAway));
    await picture(page, `${file}-390.png`);
    await page.setViewportSize(SIZES[0]);
    await settled(page);
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ colorScheme });
      check(`contrast, ${colorScheme}`, await page.evaluate(faintTexts));
    }
    check("colours", await alikeNeighbours(page));
    check("structure", await page.evaluate(wrongStructure));
    check("names", await withoutName(page));
    check("keyboard", await unreached(page));

    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.waitForFunction(() => document.documentElement.hasAttribute("data-print"));
    await settled(page);
    check("on paper", await page.evaluate(wrongOnPaper));
    check("contrast on paper", await page.evaluate(faintTexts));
    await picture(page, `${file}-print.png`);
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.waitForFunction(() => !document.documentElement.hasAttribute("data-print"));

    // Zoomed to 200 %, a window of 1440 is 720 wide; and another typeface, wider than most.
    await page.setViewportSize({ width: 720, height: 450 });
    await page.addStyleTag({ content: "* { font-family: 'DejaVu Sans Mono', monospace !important; letter-spacing: 0.05em !important; }" });
    await settled(page);
    check("cut, zoomed, in a wide typeface", await page.evaluate(cutNumbers));
    check("beyond the page, zoomed, in a wide typeface", await page.evaluate(beyondPage));
    assert.deepEqual(wrong, {});
  });
}

pageTest("Escape closes what is open", files.find((file) => file === "one" || file.startsWith("tables-")) ?? files[0], async (page) => {
  const cell = page.locator('.link[aria-expanded="false"]').first();
  if ((await cell.count()) > 0) {
    await cell.click();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator('.link[aria-expanded="true"]').count(), 0);
  }
  await page.evaluate(() => drawNotes(Array.from({ length: 3 }, (_, at) => ({ text: `note ${at}` }))));
  await page.click("summary");
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("details[open]").count(), 0);
});
