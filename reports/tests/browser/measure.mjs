// SPDX-License-Identifier: Apache-2.0
// How large a page is, how long headless Chromium takes until its list of cases can be used, and how long each filter takes:
// node measure.mjs PAGE.html MODULES CHROMIUM. MODULES is the node_modules that run.sh fills. Other programs only add to the times:
// of three openings the least is printed.
import { stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const TRIES = 3;
const FILTERS = ["grouped f16", "uniform", "dilated bias nxc", "strided", ""];
const [page, modules, chromium] = process.argv.slice(2, 5).map(each => path.resolve(each));
const require = createRequire(path.join(modules, "here.js"));
const browser = await require("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox"] });

async function measured() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const opened = await context.newPage();
  await opened.goto(String(pathToFileURL(page)));
  const loaded = await opened.evaluate(() => new Promise(done => {
    const look = () => document.getElementById("list").hidden ? setTimeout(look, 5) : done(performance.now());
    look();
  }));
  await opened.waitForTimeout(5000);  // what the page does when idle
  const filtered = await opened.evaluate(filters => filters.map(words => {
    const input = document.querySelector("#choose [name=words]");
    input.value = words;
    const began = performance.now();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.getElementById("list").getBoundingClientRect();
    return performance.now() - began;
  }), FILTERS);
  await context.close();
  return [loaded, ...filtered];
}

let least = await measured();
for (let tried = 1; tried < TRIES; ++tried) {
  const times = await measured();
  least = least.map((time, at) => Math.min(time, times[at]));
}
await browser.close();
console.log(`${(await stat(page)).size} bytes; ${(least[0] / 1000).toFixed(1)} s until the list can be used`);
FILTERS.forEach((words, at) => console.log(`${words ? `“${words}”` : "all cases again"}: ${least[at + 1].toFixed(0)} ms`));
