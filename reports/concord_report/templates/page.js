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
const failing = leaves.filter(leaf => leaf.classList.contains("failing"));
let textOf = null;  // of each leaf, made when the first letter is typed: a page may have thousands
const groups = [...document.querySelectorAll("main details")];
const others = leaves.filter(leaf => !leaf.classList.contains("failing"));
const leavesIn = new Map(groups.map(group => [group, []]));
for (const leaf of leaves) {
  for (let at = leaf.closest("details"); at; at = at.parentElement.closest("details")) leavesIn.get(at).push(leaf);
}
const wasOpen = new Map(groups.map(group => [group, group.open]));
const input = document.createElement("input");
input.type = "search";
input.placeholder = "Filter: grouped f16 ramp";
input.setAttribute("aria-label", "Show only entries with all of these words");
const said = document.createElement("span");
said.setAttribute("role", "status");
document.getElementById("filter").append(said, input);

const counted = (among, what) =>
  `${among.filter(leaf => !leaf.hidden).length.toLocaleString("en")} of ${among.length.toLocaleString("en")} ${what}`;

function filter() {
  const words = wordsOf(input.value).split(" ").filter(Boolean);
  textOf ??= new Map(leaves.map(leaf => [leaf, wordsOf(`${leaf.dataset.words ?? ""} ${leaf.textContent}`)]));
  for (const leaf of leaves) {
    const text = textOf.get(leaf);
    leaf.hidden = !words.every(word => text.includes(" " + word));
  }
  for (const group of groups) {
    const inside = leavesIn.get(group);
    const hits = inside.some(leaf => !leaf.hidden);
    group.hidden = words.length > 0 && inside.length > 0 && !hits;
    group.open = words.length > 0 ? hits : wasOpen.get(group);
  }
  said.textContent = words.length > 0
    ? `shown: ${counted(failing, "failing cases")}, ${counted(others, "other entries")}` : "";
}
input.addEventListener("input", filter);
addEventListener("beforeprint", () => { for (const group of groups) group.open = !group.matches(".rest"); });
addEventListener("afterprint", () => { for (const group of groups) group.open = wasOpen.get(group); });
