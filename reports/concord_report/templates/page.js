// SPDX-License-Identifier: Apache-2.0
// The list of all cases with its filter, sorting and links; other tables' sorting; and copy buttons. Text from results only ever
// becomes text, by textContent. docs/report.md says what the fragment of an address means.
"use strict";
const byId = id => document.getElementById(id);
const SIGNS = { PASS: "✓", FAIL: "✗", VACUOUS: "∅", DECLINED: "–", CLAIM_BROKEN: "≠", CRASH: "⚡", HANG: "∞", HARNESS_ERROR: "?" };
const NAMES = { PASS: "passed", FAIL: "failed", VACUOUS: "vacuous", DECLINED: "declined", CLAIM_BROKEN: "claim broken", CRASH: "crashed", HANG: "hung", HARNESS_ERROR: "harness error" };
const ORDER = ["CRASH", "HANG", "FAIL", "CLAIM_BROKEN", "HARNESS_ERROR", "VACUOUS", "DECLINED", "PASS"];
const PER_PAGE = 50;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function badge(word) {
  return element("span", { class: `badge ${word.toLowerCase()}` },
    element("span", { "aria-hidden": "true" }, SIGNS[word] ?? ""), ` ${NAMES[word] ?? word}`);
}

function copyButton(what, textOf) {
  const button = element("button", { type: "button", class: "copy", "aria-label": `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(textOf());
    } catch {
      const code = button.parentElement.querySelector("code");
      if (code) getSelection().selectAllChildren(code);
      done = code ? "Selected" : "Cannot copy";
    }
    button.textContent = done;
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

document.querySelectorAll(".replay").forEach((line, number) => {
  const code = line.querySelector("code");
  const of = line.closest("article")?.querySelector(".id")?.textContent.trim();
  line.append(copyButton(`command ${number + 1}${of ? `, ${of}` : ""}`, () => code.textContent.trim()));
});

// Words only, each after a space, so that f16 is found in "f16" and not in "bf16".
const wordsOf = text => " " + text.toLowerCase().replace(/[^a-z0-9_.]+/g, " ");
const grouped = value => value.toLocaleString("en");
const shownNumber = value => value === null ? "–" : grouped(value);

// The grid of wrong_map.py.
function pictureOf({ picture, lines, label }) {
  const drawn = (tag, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const columns = picture[0].length, rows = picture.length, cell = 14;
  return drawn("svg", { class: "map", role: "img", "aria-label": label, width: columns * cell, height: rows * cell, viewBox: `0 0 ${columns} ${rows}` },
    ...picture.flatMap((line, y) => [...line].map((digit, x) => drawn("rect", { x, y, width: 1, height: 1, class: `heat${digit}` }))),
    ...lines.map(([x1, y1, x2, y2]) => drawn("line", { x1, y1, x2, y2 })));
}

async function unpacked() {
  const bytes = Uint8Array.from(atob(byId("packed").textContent), char => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// Of each id only what differs from the one before is written.
function idsOf({ kept, rest }) {
  let id = "";
  return rest.map((end, at) => id = id.slice(0, kept[at]) + end);
}

// A case's set of traits, as a number, and the sets. Of each trait is written how many cases in a row lack it, have it, lack it, ...
function traitsOf(data) {
  const count = data.cases.id.length, ofCase = new Uint32Array(count), runs = data.trait_runs, WORD = 32;
  let sets = [[]];
  for (let first = 0; first < runs.length; first += WORD) {
    const some = new Uint32Array(count);
    runs.slice(first, first + WORD).forEach((lengths, bit) => {
      let at = 0;
      [...lengths, count].forEach((length, which) => {
        const end = Math.min(at + length, count);
        if (which % 2) for (let each = at; each < end; ++each) some[each] |= 1 << bit;
        at = end;
      });
    });
    const known = new Map(), refined = [];
    for (let at = 0; at < count; ++at) {
      const key = ofCase[at] * 2 ** WORD + some[at];
      if (!known.has(key)) {
        known.set(key, refined.length);
        refined.push(sets[ofCase[at]].concat([...runs.keys()].filter(each => each >= first && each < first + WORD && some[at] >>> (each - first) & 1)));
      }
      ofCase[at] = known.get(key);
    }
    sets = refined;
  }
  return { ofCase, sets };
}

// The seed of a case: conformance/case/seed.h
function seedOf(suite, id) {
  const cut = value => BigInt.asUintN(64, value);
  let state = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(id)) state = cut((state ^ BigInt(byte)) * 0x100000001b3n);
  let z = cut((BigInt(suite) ^ state) + 0x9e3779b97f4a7c15n);
  z = cut((z ^ z >> 30n) * 0xbf58476d1ce4e5b9n);
  z = cut((z ^ z >> 27n) * 0x94d049bb133111ebn);
  z ^= z >> 31n;
  const isPlain = (id.startsWith("tuples_") || id.startsWith("every_")) && (z >> 32n) % 4n !== 0n;
  return String(isPlain ? z & ~0xffffn | 0x4116n : z);
}

// Rows are numbers into columns: one row for each case and backend.
function tableOf(data) {
  data.cases.id = idsOf(data.cases);
  const { cases, texts, outcomes } = data;
  const rows = data.backends.reduce((sum, backend) => sum + backend.outcome.length, 0);
  const table = { ...data, size: rows, ofCase: new Uint32Array(rows), ofBackend: new Uint16Array(rows), outcome: new Uint32Array(rows), place: new Uint32Array(rows) };
  let row = 0;
  data.backends.forEach((backend, which) => backend.outcome.forEach((outcome, place) => {
    table.ofCase[row] = backend.cases ? backend.cases[place] : place;
    table.ofBackend[row] = which;
    table.outcome[row] = outcome;
    table.place[row++] = place;
  }));
  const { ofCase, sets } = traitsOf(data);
  const traits = sets.map(list => list.map(each => texts.trait[each]));
  table.traitsOf = at => traits[ofCase[at]];
  table.margin = at => data.backends[table.ofBackend[at]].margin[table.place[at]];
  table.elements = at => data.backends[table.ofBackend[at]].elements[table.place[at]];
  const lazy = make => { let made; return () => made ??= make(); };
  const problems = lazy(() => texts.problem.map(wordsOf));
  const traitWords = lazy(() => traits.map(list => wordsOf(list.join(" "))));
  table.haystacks = {
    cases: lazy(() => joined(cases.id.map((id, at) => wordsOf(id) + (problems()[cases.problem[at]] ?? "") + traitWords()[ofCase[at]]))),
    outcomes: lazy(() => joined(outcomes.map(outcome => wordsOf([NAMES[outcome[0]] ?? "", ...outcome].join(" "))))),
    backends: lazy(() => joined(data.backends.map(backend => wordsOf(backend.label)))),
  };
  return table;
}

// Texts in one, which is searched much faster than each of them alone: where each begins, and the end of all.
function joined(list) {
  const begins = new Uint32Array(list.length + 1);
  list.forEach((text, at) => { begins[at + 1] = begins[at] + text.length; });
  return { text: list.join(""), begins };
}

// For each of the joined texts whether a word of it begins so. Every text begins with a space, so nothing found reaches into the next.
function having({ text, begins }, beginning) {
  const hits = new Uint8Array(begins.length - 1);
  const wanted = " " + beginning;
  for (let place = text.indexOf(wanted), at = 0; place >= 0; place = text.indexOf(wanted, begins[at])) {
    while (begins[at + 1] <= place) ++at;
    hits[at++] = 1;
  }
  return hits;
}

// For each field that can be chosen: its values, and of which cases, outcomes or backends a value is true.
function fieldsOf(table) {
  const { cases, texts, outcomes, backends } = table;
  const column = field => ({ values: texts[field], over: "cases", of: value => {
    const wanted = texts[field].indexOf(value);
    return cases[field].map(each => each === wanted);
  } });
  const outcome = place => ({ values: [...new Set(outcomes.map(each => each[place]))].filter(Boolean), over: "outcomes",
    of: value => outcomes.map(each => each[place] === value) });
  return {
    backend: { values: backends.map(each => each.label), over: "backends", of: value => backends.map(each => each.label === value) },
    verdict: { ...outcome(0), names: NAMES }, operation: column("operation"), dtype: column("dtype"), fill: column("fill"),
    trait: { values: [...texts.trait].sort(), over: "cases", of: value => cases.id.map((_, at) => table.traitsOf(at).includes(value)) },
    tier: outcome(1),
  };
}

// Of the rows, in their order, those that have every word somewhere and every chosen value.
function matching(table, fields, chosen, order) {
  const tests = { cases: null, outcomes: null, backends: null };
  for (const [name, field] of Object.entries(fields)) {
    if (!chosen[name]) continue;
    const hits = field.of(chosen[name]);
    const before = tests[field.over];
    tests[field.over] = before ? before.map((hit, at) => hit && hits[at]) : hits;
  }
  const words = wordsOf(chosen.words ?? "").split(" ").filter(Boolean).map(word =>
    Object.fromEntries(Object.entries(table.haystacks).map(([over, texts]) => [over, having(texts(), word)])));
  let rows = order;
  const keep = good => {
    const kept = new Uint32Array(rows.length);
    let count = 0;
    for (let place = 0; place < rows.length; ++place) if (good(rows[place])) kept[count++] = rows[place];
    rows = kept.subarray(0, count);
  };
  if (tests.cases) keep(row => tests.cases[table.ofCase[row]]);
  if (tests.outcomes) keep(row => tests.outcomes[table.outcome[row]]);
  if (tests.backends) keep(row => tests.backends[table.ofBackend[row]]);
  for (const { cases, outcomes, backends } of words) {
    keep(row => cases[table.ofCase[row]] || outcomes[table.outcome[row]] || backends[table.ofBackend[row]]);
  }
  return rows;
}

// Each column of the list: its heading, the number that it sorts by, and what a cell shows.
function columnsOf(table) {
  const { cases, texts, outcomes, backends } = table;
  const rank = list => {
    const places = new Float64Array(list.length);
    [...list.keys()].sort((a, b) => (list[a] < list[b] ? -1 : list[a] > list[b] ? 1 : 0)).forEach((at, place) => { places[at] = place; });
    return places;
  };
  const lazyRank = list => { let ranks; return at => (ranks ??= rank(list))[at]; };
  const byName = lazyRank(cases.id), gravity = outcomes.map(outcome => ORDER.indexOf(outcome[0]));
  const marginOf = row => { const margin = table.margin(row); return margin === null ? -1 : typeof margin === "number" ? margin : margin === "just below 1" ? 1 - 1e-9 : margin === "just above 1" ? 1 + 1e-9 : Infinity; };
  return [
    { name: "Verdict", key: row => gravity[table.outcome[row]], show: row => badge(outcomes[table.outcome[row]][0]) },
    { name: "Case", key: row => byName(table.ofCase[row]), show: row => linkTo(cases.id[table.ofCase[row]]) },
    { name: "Backend", key: row => table.ofBackend[row], show: row => backends[table.ofBackend[row]].label },
    { name: "Operation", key: row => cases.operation[table.ofCase[row]], show: row => texts.operation[cases.operation[table.ofCase[row]]] },
    { name: "Dtype", key: row => cases.dtype[table.ofCase[row]], show: row => texts.dtype[cases.dtype[table.ofCase[row]]] },
    { name: "Margin", key: marginOf, show: row => String(table.margin(row) ?? "–"), right: true },
    { name: "Elements", key: row => table.elements(row) ?? -1, show: row => shownNumber(table.elements(row)), right: true },
    { name: "Reason", key: row => table.outcome[row], show: row => outcomes[table.outcome[row]][2] },
  ];
}

function linkTo(id) {
  return element("a", { href: `#case=${encodeURIComponent(id)}`, class: "id" }, id);
}

// All rows in the order of a column; a filter keeps that order, so that only a heading sorts. What is sorted are plain
// numbers, the rank of a row's key and the row itself in one: much faster than to compare rows by a function.
function inOrder(table, column, down) {
  const which = down ? "down" : "up";
  column.orders ??= {};
  if (!column.orders[which]) {
    const keys = Float64Array.from({ length: table.size }, (_, row) => column.key(row));
    const ranks = new Map(), distinct = keys.slice().sort();
    for (const key of distinct) if (!ranks.has(key)) ranks.set(key, ranks.size);
    const last = ranks.size - 1;
    const places = keys.map((key, row) => (down ? last - ranks.get(key) : ranks.get(key)) * table.size + row).sort();
    column.orders[which] = Uint32Array.from(places, place => place % table.size);
  }
  return column.orders[which];
}

function showCase(table, id) {
  const { cases, texts, outcomes, backends } = table;
  const box = byId("case");
  box.replaceChildren();
  const found = [];
  for (let row = 0; row < table.size; ++row) if (cases.id[table.ofCase[row]] === id) found.push(row);
  box.hidden = false;
  if (found.length === 0) {
    box.append(element("p", {}, `No case of this report has the id ${id}`));
    return;
  }
  const at = table.ofCase[found[0]];
  box.append(element("h3", { class: "id" }, id), line("the link to this case", location.href.replace(/#.*/, "") + `#case=${encodeURIComponent(id)}`, "link"),
    ...problemOf(at),
    element("p", { class: "dim" }, `${texts.fill[cases.fill[at]]} data; ${table.traitsOf(at).join(", ")}`));
  for (const row of found) box.append(resultOf(row));

  // A quiet case of many has no problem here: docs/report.md
  function problemOf(at) {
    if (cases.problem[at] !== null) return [line("the problem", texts.problem[cases.problem[at]])];
    const said = element("p", {}, "Passed or declined by every backend. This page leaves out its problem and number of elements.");
    const command = table.command && `${table.command} '${id.replaceAll("'", "'\\''")}'`;
    return command ? [said, line("the command that prints the problem", command)] : [said];
  }

  function line(what, text, only) {
    const parts = only ? [element("span", { class: "dim" }, "Link to this case")] : [element("code", {}, text)];
    return element("div", { class: "replay" }, ...parts, copyButton(what, () => text));
  }

  function resultOf(row) {
    const [verdict, tier, reason, arithmetic, kernel, adapter] = outcomes[table.outcome[row]];
    const { label, details, seed: suite } = backends[table.ofBackend[row]];
    const more = { ...details[table.place[row]] };
    if (details[table.place[row]]) more.seed ??= seedOf(suite, id);
    if (more.replay !== undefined) more.replay = table.replays[more.replay].replaceAll("\u0001", () => more.seed).replaceAll("\u0002", () => texts.problem[cases.problem[at]]);
    const part = element("section", { class: "entry", "aria-label": label }, element("h4", {}, badge(verdict), ` ${label}`));
    const say = (text, css = "") => { if (text) part.append(element("p", css ? { class: css } : {}, text)); };
    say(reason);
    if (more.failure) {
      const { element: place, got, want, accepted } = more.failure;
      say(`element [${place.join(", ")}] is ${got}, want ${want}, accepted ${accepted}`);
      part.append(pictureOf(more.failure));
      say(more.failure.label, "dim");
    }
    const margin = table.margin(row), elements = table.elements(row);
    say([tier && `${tier} tier`, margin !== null && `margin ${margin}`, elements !== null && `${more.wrong ? `${grouped(more.wrong)} of ` : ""}${grouped(elements)} elements${more.wrong ? " wrong" : ""}`,
      arithmetic && `judged as ${arithmetic}`, kernel && `kernel ${kernel}`, adapter && `adapter: ${adapter}`, more.seed && `seed ${more.seed}`, more.origin, more.note].filter(Boolean).join(" · "), "dim");
    if (more.lowered) part.append(line(`the Convolution that ${label} was given`, more.lowered));
    if (more.replay) part.append(line(`the command that repeats it on ${label}`, more.replay));
    return part;
  }
}

function startList(table) {
  const fields = fieldsOf(table), columns = columnsOf(table), form = byId("choose");
  const view = { rows: null, column: columns[0], down: false, page: 0 };
  const head = byId("list").querySelector("thead tr"), body = byId("list").querySelector("tbody");
  for (const [name, field] of Object.entries(fields)) {
    for (const value of field.values) form.elements[name].append(element("option", { value }, field.names?.[value] ?? value));
  }
  for (const column of columns) {
    const button = element("button", { type: "button" }, column.name);
    button.addEventListener("click", () => {
      view.down = view.column === column && !view.down;
      view.column = column;
      choose();
    });
    column.head = element("th", { scope: "col", ...(column.right ? { class: "right" } : {}) }, button);
    head.append(column.head);
  }

  function choose() {
    view.rows = matching(table, fields, Object.fromEntries(new FormData(form)), inOrder(table, view.column, view.down));
    byId("count").textContent = `${grouped(view.rows.length)} of ${grouped(table.size)} results`;
    for (const column of columns) column.head.setAttribute("aria-sort", column !== view.column ? "none" : view.down ? "descending" : "ascending");
    turn(0);
  }
  function turn(page) {
    const pages = Math.max(1, Math.ceil(view.rows.length / PER_PAGE));
    view.page = Math.min(Math.max(page, 0), pages - 1);
    const rows = view.rows.subarray(view.page * PER_PAGE, (view.page + 1) * PER_PAGE);
    body.replaceChildren(...Array.from(rows, row => element("tr", {}, ...columns.map(column =>
      element("td", column.right ? { class: "right" } : {}, column.show(row))))));
    byId("page").textContent = `Page ${grouped(view.page + 1)} of ${grouped(pages)}`;
    byId("before").disabled = view.page === 0;
    byId("after").disabled = view.page === pages - 1;
  }
  function follow() {
    const fragment = location.hash.slice(1);
    if (fragment.startsWith("case=")) {
      let id = fragment.slice(5);
      try { id = decodeURIComponent(id); } catch { /* shown as it is */ }
      showCase(table, id);
      byId("case").scrollIntoView();
      byId("case").focus({ preventScroll: true });
    } else if (fragment.startsWith("cases&")) {
      const wanted = new URLSearchParams(fragment.slice(6));
      for (const name of ["words", ...Object.keys(fields)]) form.elements[name].value = wanted.get(name) ?? "";
      byId("case").hidden = true;
      choose();
      byId("cases").scrollIntoView();
    }
  }
  form.addEventListener("input", choose);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(choose));
  byId("before").addEventListener("click", () => turn(view.page - 1));
  byId("after").addEventListener("click", () => turn(view.page + 1));
  addEventListener("hashchange", follow);
  for (const id of ["choose", "list", "pager"]) byId(id).hidden = false;
  choose();
  follow();
  (window.requestIdleCallback ?? setTimeout)(() => { for (const texts of Object.values(table.haystacks)) texts(); });
}

// Each number of the tables by attribute leads to its cases. Written here, for the links would be most of a page with many levels.
function linkLevels(table) {
  const dtypes = [...table.tHead.rows[0].cells].map(cell => cell.dataset.dtype);
  for (const body of table.tBodies) {
    for (const row of body.rows) {
      for (const cell of row.querySelectorAll("td:not(.none)")) {
        const chosen = { backend: table.dataset.backend, operation: body.dataset.operation, dtype: dtypes[cell.cellIndex], trait: row.cells[0].textContent };
        cell.replaceChildren(element("a", { href: `#cases&${new URLSearchParams(chosen)}` }, ...cell.childNodes));
      }
    }
  }
}
for (const table of document.querySelectorAll(".levels")) {
  table.closest("details").addEventListener("toggle", () => linkLevels(table), { once: true });
}

if (byId("packed")) unpacked().then(data => startList(tableOf(data)), error => { byId("count").textContent = `The list cannot be read here: ${error}`; });

// The numbers of a cell if it begins with one or with a sign before one, else its words.
const SAME = new Intl.Collator("en", { numeric: true });
function sortKey(row, column) {
  const text = row.cells[column]?.textContent.trim() ?? "";
  const number = /^\D{0,2}\s*(?:[a-z ]+)?(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)/.exec(text);
  return [number ? Number(number[1].replaceAll(",", "")) : null, text];
}
function compareKeys([a, one], [b, two]) {
  return (a === null) - (b === null) || (a ?? 0) - (b ?? 0) || SAME.compare(one, two);
}

// Headings sort the rows below them, within each group of rows.
function makeSortable(table, number) {
  const heads = [...table.tHead.rows[0].cells];
  const groups = [...table.tBodies].map(body => [body, [...body.rows].filter(row => !row.classList.contains("dimension"))]);
  if (groups.every(([, rows]) => rows.length < 2)) return;
  heads.forEach((head, column) => {
    const button = element("button", { type: "button" }, ...head.childNodes, element("span", { class: "away" }, `, sort table ${number}`));
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      for (const [body, rows] of groups) {
        const keys = new Map(rows.map(row => [row, sortKey(row, column)]));
        body.append(...rows.sort((a, b) => (down ? -1 : 1) * compareKeys(keys.get(a), keys.get(b))));
      }
    });
  });
}
[...document.querySelectorAll("table:has(thead):not(.cases, .errors)")].forEach((table, at) => makeSortable(table, at + 1));

// What scrolls sideways must be reachable by the keyboard.
const observer = new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const wide of document.querySelectorAll(".wide")) observer.observe(wide);

// Printed are all groups of cases; tables that only count them in another way stay folded.
const groups = [...document.querySelectorAll("main details:not(.folded)")];
const wasOpen = new Map(groups.map(group => [group, group.open]));
addEventListener("beforeprint", () => { for (const group of groups) { wasOpen.set(group, group.open); group.open = true; } });
addEventListener("afterprint", () => { for (const group of groups) group.open = wasOpen.get(group); });
