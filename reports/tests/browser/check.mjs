// SPDX-License-Identifier: Apache-2.0
// Uses the report's page as a reader does, in headless Chromium: node check.mjs PAGES MODULES CHROMIUM [PATTERN]
// PATTERN, a regular expression, chooses checks by their names.
// PAGES is a folder that pages.py filled, MODULES a node_modules with playwright-core and axe-core.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [pages, modules, chromium] = process.argv.slice(2, 5).map(each => path.resolve(each));
const pattern = new RegExp(process.argv[5] ?? "");
const require = createRequire(path.join(modules, "here.js"));
const browser = await require("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const axe = require.resolve("axe-core/axe.min.js");
const FILTERS = ["grouped f16", "uniform", "dilated bias nxc", "case4999", ""];
const FILTER_LIMIT = 100;  // milliseconds, of the slowest
const TRIES = 3;  // newly opened pages, of which each filter's least time counts: other programs only add to it

async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: options.axe ?? false, ...options.context });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", message => { if (["error", "warning"].includes(message.type())) page.complaints.push(message.text()); });
  page.on("pageerror", error => page.complaints.push(String(error)));
  page.on("dialog", dialog => { page.complaints.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", request => { if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`a request: ${request.url()}`); });
  await page.goto(pathToFileURL(path.join(pages, `${name}.html`)) + (options.fragment ?? ""));
  await page.waitForFunction(() => !document.getElementById("list")?.hidden);  // the history has no list
  return page;
}

async function closed(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

const rowsOf = page => page.locator("#list tbody tr").count();
const countOf = async page => (await page.locator("#count").textContent()).split(" ")[0];
// A link within the page acts after the click has returned.
const countBecomes = (page, said) => page.waitForFunction(count => document.getElementById("count").textContent.split(" ")[0] === count, said);

// Milliseconds that each of FILTERS takes, the list included, when it is entered for the first time.
const filterTimes = page => page.evaluate(filters => filters.map(words => {
  const input = document.querySelector("#choose [name=words]");
  input.value = words;
  const began = performance.now();
  input.dispatchEvent(new Event("input", { bubbles: true }));
  document.getElementById("list").getBoundingClientRect();  // the layout of what is shown
  return performance.now() - began;
}), FILTERS);

const checks = {
  async "the first screen has a row for each backend"() {
    for (const [name, backends] of [["rich", 5], ["eight", 8]]) {
      const page = await opened(name);
      const bottoms = await page.locator(".overview tbody tr").evaluateAll(rows => rows.map(row => row.getBoundingClientRect().bottom));
      assert.equal(bottoms.length, backends);
      assert.ok(Math.max(...bottoms) <= 800, `the last row of ${backends} ends at ${Math.max(...bottoms)}`);
      await closed(page);
    }
  },
  async "a count leads to exactly its cases"() {
    const page = await opened("rich");
    const links = page.locator("#operations .served td a");
    for (const at of [0, 5, await links.count() - 1]) {
      const said = (await links.nth(at).textContent()).split(" ").pop();
      await links.nth(at).click();
      await countBecomes(page, said);
    }
    await closed(page);
  },
  async "a link to a case opens it, also from outside and by the Back button"() {
    const page = await opened("rich", { fragment: "#case=resnet50%2Fcase0%2Ff32%2Fintegers" });
    assert.equal(await page.locator("#case h3").textContent(), "resnet50/case0/f32/integers");
    assert.equal(await page.locator("#case section").count(), 4);
    assert.equal(await page.evaluate(() => document.activeElement.id), "case");
    const other = page.locator("#list tbody a").first(), id = await other.textContent();
    assert.notEqual(id, "resnet50/case0/f32/integers");
    await other.click();
    await page.locator("#case h3", { hasText: id }).waitFor();
    await page.goBack();
    await page.locator("#case h3", { hasText: "resnet50/case0/f32/integers" }).waitFor();
    await closed(page);
  },
  async "a failure shows where its wrong elements lie"() {
    const page = await opened("rich", { fragment: "#cases&verdict=FAIL" });
    await page.locator("#list tbody a").first().click();
    const map = page.locator("#case svg.map").first();
    assert.equal(await map.locator("rect").count(), 20);
    assert.equal(await map.locator("line").count(), 3);
    assert.match(await map.getAttribute("aria-label"), /axis 1: index 1 of 0–1; axis 2: indices 1–2 of 0–3/);
    await closed(page);
  },
  async "an unknown id is said to be unknown"() {
    const page = await opened("rich", { fragment: "#case=%E0%A4%A" });
    assert.match(await page.locator("#case").textContent(), /No case of this report has the id/);
    await closed(page);
  },
  async "words, choices and pages by the keyboard alone"() {
    const page = await opened("rich");
    await page.locator("#choose [name=words]").focus();
    await page.keyboard.type("f16 grouped");
    const both = +(await countOf(page));
    assert.ok(both > 50 && both < 1000, `${both}`);
    for (const cell of await page.locator("#list tbody td:nth-child(5)").allTextContents()) assert.equal(cell, "f16");
    await page.keyboard.press("Tab");
    await page.keyboard.type("eigen");
    assert.ok(+(await countOf(page)) < both);
    await page.locator("#after").focus();
    const first = await page.locator("#list tbody tr").first().textContent();
    await page.keyboard.press("Enter");
    assert.notEqual(await page.locator("#list tbody tr").first().textContent(), first);
    await closed(page);
  },
  async "headings sort both ways"() {
    const page = await opened("rich");
    const heading = page.getByRole("button", { name: "Elements", exact: true });
    await heading.focus();
    for (const [way, sign] of [["ascending", 1], ["descending", -1]]) {
      await page.keyboard.press("Enter");
      assert.equal(await page.locator("th[aria-sort]:not([aria-sort=none])").getAttribute("aria-sort"), way);
      const values = (await page.locator("#list tbody td:nth-child(7)").allTextContents()).map(text => +text.replaceAll(",", ""));
      assert.deepEqual(values, [...values].sort((a, b) => sign * (a - b)));
    }
    await closed(page);
  },
  async "headings of the other tables sort their rows, by number or word"() {
    const page = await opened("rich");
    const cellsOf = column => page.locator(`.margins tbody tr td:nth-child(${column})`).allTextContents();
    for (const [column, name, key] of [[4, "Cases", text => +text.replaceAll(",", "")], [1, "Dtype", text => text]]) {
      const before = await cellsOf(column);
      const heading = page.locator(".margins thead").getByRole("button", { name });
      await heading.focus();
      await page.keyboard.press("Enter");
      const sorted = before.toSorted((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
      assert.deepEqual(await cellsOf(column), sorted);
      await page.keyboard.press("Enter");
      assert.deepEqual(await cellsOf(column), sorted.toReversed());
    }
    assert.notDeepEqual(new Set(await cellsOf(4)).size, 1);
    await closed(page);
  },
  async "the program of a failure is downloaded"() {
    const page = await opened("rich");
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#smallest a[download]").first().click()]);
    assert.equal(download.suggestedFilename(), "mine_a.c");
    assert.equal(await readFile(await download.path(), "utf8"), "int main(void) { return 1; }\n");
    await closed(page);
  },
  async "a level of an attribute leads to exactly its cases"() {
    const page = await opened("rich");
    await page.locator("#operations summary").first().click();
    const links = page.locator("#operations .levels").first().locator("a");
    await links.first().waitFor();
    for (const at of [0, 7, await links.count() - 1]) {
      const said = (await links.nth(at).locator(".n").allTextContents()).reduce((sum, text) => sum + +text.split(" ").pop(), 0);
      await links.nth(at).click();
      await countBecomes(page, String(said));
    }
    await closed(page);
  },
  async "the list has the seed and the command of a failure"() {
    const page = await opened("rich");
    for (const at of [0, 3]) {
      const entry = page.locator("#failures .entry").nth(at);
      const [id, said, command] = await Promise.all([".id", "p.dim:last-of-type", ".replay code"].map(css => entry.locator(css).last().textContent()));
      const seed = /seed (\d+)/.exec(said)[1];
      await page.evaluate(wanted => { location.hash = `#case=${encodeURIComponent(wanted)}`; }, id);
      await page.locator("#case h3", { hasText: id }).waitFor();
      assert.ok((await page.locator("#case").textContent()).includes(`seed ${seed}`), `${id} ${seed}`);
      assert.ok((await page.locator("#case .replay code").allTextContents()).includes(command.trim()), command);
    }
    await closed(page);
  },
  async "printed are all failures, and no table that only counts cases in another way"() {
    const page = await opened("rich");
    const states = css => page.locator(css).evaluateAll(all => [...new Set(all.map(each => each.open))]);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.deepEqual(await states("details.folded"), [false]);
    assert.deepEqual(await states("details:not(.folded)"), [true]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.deepEqual(await states("#failures details"), [true, false]);
    await closed(page);
  },
  async "the names in the pictures of errors are whole and inside"() {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 480, height: 800 }]) {
      const page = await opened("rich", { context: { viewport } });
      const outside = await page.locator("#errors .plot").evaluateAll(all => all.flatMap(each => [...each.querySelectorAll("text")]
        .filter(text => text.getBoundingClientRect().right > Math.min(each.getBoundingClientRect().right, innerWidth)
          || text.getBoundingClientRect().left < each.getBoundingClientRect().left).map(text => text.textContent)));
      assert.deepEqual(outside, []);
      const touching = await page.locator("#errors .plot").evaluateAll(all => all.flatMap(each => {
        const boxes = [...each.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
        return boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([, b]) =>
          a.left < b.right + 1 && b.left < a.right + 1 && a.top + 4 < b.bottom && b.top + 4 < a.bottom).map(([other]) => `${one} ${other}`));
      }));
      assert.deepEqual(touching, []);
      assert.ok(await page.locator("#errors .plot text").count() > 20);
      await closed(page);
    }
  },
  async "a command is copied"() {
    const page = await opened("rich", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
    const line = page.locator("#failures .replay").first();
    await line.locator("button").focus();
    await page.keyboard.press("Enter");
    await page.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), (await line.locator("code").textContent()).trim());
    await closed(page);
  },
  async "buttons have distinct names"() {
    const page = await opened("rich", { fragment: "#case=resnet50%2Fcase5%2Ff16%2Fintegers" });
    const names = await page.locator("button").evaluateAll(all => all.map(each => each.getAttribute("aria-label") ?? each.textContent));
    assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
    await closed(page);
  },
  async "50,000 cases are filtered and sorted in time"() {
    for (const [name, all] of [["many", "50,000"], ["vast", "100,002"]]) {
      const least = FILTERS.map(() => Infinity);
      for (let tried = 0; tried < TRIES; ++tried) {
        const page = await opened(name);
        await page.waitForTimeout(3000);  // what the page does when idle
        (await filterTimes(page)).forEach((time, at) => { least[at] = Math.min(least[at], time); });
        assert.equal(await countOf(page), all);
        assert.ok(await rowsOf(page) <= 50);
        await closed(page);
      }
      console.log(`  ${name}, milliseconds: ${least.map(time => time.toFixed(1)).join(", ")}`);
      assert.ok(Math.max(...least) < FILTER_LIMIT, `${least}`);
    }
  },
  async "of too many cases a quiet one has a link that says what is left out, and a remarkable one its problem"() {
    const page = await opened("vast", { fragment: "#case=resnet50%2Fcase1%2Ff32%2Fintegers", context: { permissions: ["clipboard-read", "clipboard-write"] } });
    const box = page.locator("#case");
    assert.match(await box.textContent(), /Passed or declined by every backend\. This page leaves out its problem/);
    assert.deepEqual(await box.locator("h4").allTextContents(), ["✓ passed one", "– declined two"]);
    await box.getByRole("button", { name: "Copy the command that prints the problem" }).click();
    await page.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "concord list --suite smoke --seed 1 --filter 'resnet50/case1/f32/integers'");
    assert.match(await page.locator("#left-out").textContent(), /49,900 cases .* concord list --suite smoke --seed 1 --filter ID/);
    await page.evaluate(() => { location.hash = "#case=resnet50%2Fcase0%2Ff32%2Fintegers"; });
    await page.getByText("Convolution f32 src=").first().waitFor();
    assert.doesNotMatch(await box.textContent(), /leaves out/);
    assert.equal(await box.locator("svg.map").count(), 1);
    await page.evaluate(() => { location.hash = "#cases&backend=one&verdict=FAIL"; });
    await page.waitForFunction(() => document.getElementById("count").textContent === "101 of 100,002 results");
    await page.evaluate(() => { location.hash = "#cases&words=case4999+two"; });
    await page.waitForFunction(() => document.getElementById("count").textContent === "11 of 100,002 results");
    await closed(page);
  },
  async "hostile names stay text"() {
    const page = await opened("hostile");
    await page.locator("#list tbody a").first().click();
    assert.match(await page.locator("#case").textContent(), /<script>alert\(1\)<\/script>/);
    await page.locator("#choose [name=trait]").selectOption({ index: 1 });
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), 2);
    await closed(page);
  },
};
checks["the trend has a line for each number, with names that do not cover each other"] = async () => {
  const page = await opened("history");
  const sections = await page.locator("main h2").allTextContents();
  assert.match(sections[0], /regressions/);
  assert.match(sections[1], /trend/);
  assert.deepEqual(await page.locator(".trends figcaption").allTextContents(), ["Cases passed", "Cases failed", "Speed in Gflop/s over 1 layer", "Effective bits"]);
  assert.deepEqual(await page.locator(".trends svg").evaluateAll(all => all.map(each => each.querySelectorAll("polyline").length)), [1, 1, 2, 3]);
  const covered = await page.locator(".trends svg").evaluateAll(all => all.flatMap(each => {
    const boxes = [...each.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    const outside = boxes.filter(([, box]) => box.right > each.getBoundingClientRect().right + 1);
    const pairs = boxes.flatMap(([one, a], at) => boxes.slice(at + 1).filter(([, b]) =>
      a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom).map(([other]) => [one, other]));
    return [...outside.map(([text]) => text), ...pairs];
  }));
  assert.deepEqual(covered, []);
  await closed(page);
};
checks["at 480 px whatever is touched is 44 px high"] = async () => {
  const page = await opened("rich", { context: { viewport: { width: 480, height: 800 }, hasTouch: true }, fragment: "#case=resnet50%2Fcase5%2Ff16%2Fintegers" });
  const small = await page.locator("button, input, select, summary, nav a").evaluateAll(all => all.map(each => [each.textContent.trim().slice(0, 40), each.getBoundingClientRect()])
    .filter(([, box]) => box.height > 0 && box.height < 43.5).map(([text, box]) => `${text}: ${box.height}`));
  assert.deepEqual(small, []);
  await closed(page);
};
const MEDIA = {
  light: { colorScheme: "light" }, dark: { colorScheme: "dark" },
  narrow: { viewport: { width: 480, height: 800 }, hasTouch: true },
  print: { viewport: { width: 703, height: 1032 }, colorScheme: "dark" },  // A4 without the margins of style.css
};
const WITHOUT_LIST = ["history", "scoreboard", "scoreboard_diff"];
for (const name of ["rich", "one", "eight", ...WITHOUT_LIST]) {
  for (const [medium, context] of Object.entries(MEDIA)) {
    checks[`axe finds nothing and nothing is too wide: ${name}, ${medium}`] = async () => {
      const page = await opened(name, { axe: true, context, fragment: WITHOUT_LIST.includes(name) ? "" : "#case=resnet50%2Fcase5%2Ff16%2Fintegers" });
      if (medium === "print") await page.emulateMedia({ media: "print" });
      await page.addScriptTag({ path: axe });
      await page.evaluate(() => { for (const group of document.querySelectorAll("details")) group.open = true; });
      await page.waitForTimeout(100);  // for the page's own observer of what scrolls
      const { violations, passes } = await page.evaluate(enabled => globalThis.axe.run({ rules: { "target-size": { enabled } } }), medium !== "print");
      assert.ok(passes.length > 10);
      assert.deepEqual(violations.map(each => `${each.id}: ${each.nodes.length} times, ${each.nodes.slice(0, 3).map(node => `${node.html} ${node.failureSummary}`).join("; ")}`), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
      const out = await page.locator("main *").evaluateAll(all => all.filter(each => {
        const frame = each.parentElement.closest(".wide");  // within it a table may scroll
        return each.getBoundingClientRect().right > innerWidth + 1 && !(frame && getComputedStyle(frame).overflowX === "auto");
      }).map(each => each.outerHTML.slice(0, 100)));
      assert.deepEqual(out, []);
      await closed(page);
    };
  }
}

let failed = 0;
const chosen = Object.entries(checks).filter(([name]) => pattern.test(name));
for (const [name, check] of chosen) {
  try {
    await check();
    console.log(`ok: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}\n  ${String(error.message).slice(0, 3000)}`);
    for (const context of browser.contexts()) await context.close();  // what is left open would slow the others
  }
}
await browser.close();
console.log(`${chosen.length - failed} of ${chosen.length} checks passed`);
process.exitCode = failed || !chosen.length ? 1 : 0;
