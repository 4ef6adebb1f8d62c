// SPDX-License-Identifier: Apache-2.0
// Comforts on top of a page that is whole without them: copy buttons, a filter, groups open in print.
"use strict";
for (const line of document.querySelectorAll(".replay")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const code = line.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent.trim());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  line.append(button);
}

// Words only, each after a space, so that f16 is found in "f16" and not in "bf16".
const wordsOf = text => " " + text.toLowerCase().replace(/[^a-z0-9_.]+/g, " ");
const leaves = [...document.querySelectorAll(".findable")].filter(e => !e.querySelector(".findable"));
const groups = [...document.querySelectorAll("main details")];
const wasOpen = new Map(groups.map(group => [group, group.open]));
const input = document.createElement("input");
input.type = "search";
input.placeholder = "Filter: grouped f16 ramp";
input.setAttribute("aria-label", "Show only entries with all of these words");
const said = document.createElement("span");
said.setAttribute("role", "status");
document.getElementById("filter").append(said, input);

function filter() {
  const words = wordsOf(input.value).split(" ").filter(Boolean);
  let shown = 0;
  for (const leaf of leaves) {
    const text = wordsOf(leaf.textContent);
    leaf.hidden = !words.every(word => text.includes(" " + word));
    if (!leaf.hidden) shown += 1;
  }
  for (const group of groups) {
    const inside = [...group.querySelectorAll(".findable")].filter(e => leaves.includes(e));
    const hits = inside.some(leaf => !leaf.hidden);
    group.hidden = words.length > 0 && inside.length > 0 && !hits;
    group.open = words.length > 0 ? hits : wasOpen.get(group);
  }
  said.textContent = words.length > 0 ? `${shown} of ${leaves.length} entries` : "";
}
input.addEventListener("input", filter);
addEventListener("beforeprint", () => { for (const group of groups) group.open = true; });
addEventListener("afterprint", () => { for (const group of groups) group.open = wasOpen.get(group); });
