"use strict";
/* Walks through a state graph: the server knows the graph, the page knows the path.

   `path` is where the user has been: the number of the initial state, then the number of each move; `at` is how many of
   the moves were made at the moment, so that going back forgets nothing.  Both stand in the address. */

const find = (name) => document.getElementById(name);
const make = (name, content, kind) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (content !== undefined) element.textContent = content;
  return element;
};
const draw = (name, attributes, content) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (content !== undefined) element.textContent = content;
  return element;
};
const short = (text, length) => (text.length <= length ? text : text.slice(0, length - 1) + "…");
const laneOf = (pid) => `lane${pid % 8}`;
const changeText = ([name, old, value]) => (old === null ? `${name} ${value}`.trim() : value === null ? `${name} ${old}` : `${name}: ${old} → ${value}`);

const walk = { path: [0], at: 0, cycle: null, view: null, marked: [], asked: 0 };

async function ask(name, body) {
  const answer = await fetch(`api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });
  const data = await answer.json();
  if (data.error && !answer.ok) throw new Error(data.error);
  return data;
}

/* ------------------------------------------------------------------------------------------------ the address */

function remember() {
  const cycle = walk.cycle === null ? "" : `&cycle=${walk.cycle}`;
  history.replaceState(null, "", `#path=${walk.path.join(".")}&at=${walk.at}${cycle}`);
}

function recall() {
  const given = new URLSearchParams(location.hash.slice(1));
  const path = (given.get("path") ?? "0").split(".").map(Number);
  walk.path = path.every(Number.isInteger) && path.length ? path : [0];
  const at = Number(given.get("at") ?? walk.path.length - 1);
  walk.at = Number.isInteger(at) ? Math.max(0, Math.min(at, walk.path.length - 1)) : 0;
  walk.cycle = given.has("cycle") ? Number(given.get("cycle")) : null;
}

/* ------------------------------------------------------------------------------------------------ walking */

async function show() {
  const number = ++walk.asked;
  try {
    const whole = walk.path, path = whole.slice(0, walk.at + 1);
    const view = await ask("state", { path });
    if (number !== walk.asked) return; // somebody has walked on
    walk.view = view;
    remember();
    tell();
    showActions();
    showValues();
    showGraph();
    showSource();
    showHistory();
  } catch (problem) {
    find("now").replaceChildren(make("span", problem.message, "bad"));
  }
}

function go(at) {
  walk.at = Math.max(0, Math.min(at, walk.path.length - 1));
  closeOrbit();
  return show();
}

function take(index) {
  if (walk.path[walk.at + 1] !== index) {
    walk.path = [...walk.path.slice(0, walk.at + 1), index];
    walk.cycle = null;
  }
  return go(walk.at + 1);
}

function jump(path, cycle = null, at = path.length - 1) {
  walk.path = path;
  walk.cycle = cycle;
  return go(at);
}

function sentence(steps) {
  const parts = [];
  steps.forEach((step, i) => {
    if (i === 0 || steps[i - 1].who !== step.who) parts.push(i ? "; " : "", make("span", step.who, `who ${laneOf(step.pid)}`), " ");
    else parts.push("; ");
    if (step.skipped) parts.push(`… ${step.skipped} more …; `);
    parts.push(make("code", step.statement));
    if (step.partner) parts.push(" with ", make("b", step.partner), " ", make("code", step.partnerStatement));
  });
  return parts;
}

function changesOf(steps) {
  const parts = [];
  for (const step of steps) {
    for (const change of step.changes) parts.push(parts.length ? ", " : " ", make("span", changeText(change), "change"));
    if (step.output.trim()) parts.push(parts.length ? ", " : " ", `prints “${step.output.trim()}”`);
  }
  return parts;
}

function tell() {
  const view = walk.view, now = find("now"), moves = view.history.moves, last = moves[moves.length - 1];
  const slider = find("slider"), steps = walk.path.length - 1;
  slider.max = steps;
  slider.value = walk.at;
  find("count").textContent = `${walk.at} / ${steps}`;
  for (const button of document.querySelectorAll("[data-move]"))
    button.disabled = ["first", "back"].includes(button.dataset.move) ? walk.at === 0 : walk.at === steps;
  now.replaceChildren();
  if (last) now.append(...sentence(last), ".", ...changesOf(last));
  else now.append("The initial state. Choose what happens next, or find a violation.");
  if (walk.cycle !== null && walk.at === walk.cycle) now.append(" ", make("span", "The cycle begins here: the moves behind it are repeated for ever.", "loop"));
  for (const wrong of view.wrong) now.append(" ", make("span", wrong, "bad"));
}

function showActions() {
  const list = find("actions");
  list.replaceChildren();
  for (const action of walk.view.actions) {
    const item = make("li"), button = make("button", undefined, laneOf(action.steps[0].pid));
    button.type = "button";
    button.dataset.action = action.index;
    if (action.wrong.length) button.classList.add("wrong");
    button.append(...sentence(action.steps));
    const changes = changesOf(action.steps);
    if (changes.length) button.append(make("br"), ...changes);
    button.append(" ", make("small", `→ #${action.node}`));
    for (const wrong of action.wrong) button.append(make("br"), make("span", wrong, "bad"));
    button.addEventListener("click", () => take(action.index));
    item.append(button);
    list.append(item);
  }
  if (walk.view.cut) list.append(make("li", "There are more; only these are offered.", "note"));
  if (!walk.view.actions.length) list.append(make("li", walk.view.wrong.length ? "Nothing: this is where it goes wrong." : "Nothing: the run ends here."));
}

function showValues() {
  const table = find("values"), picture = find("picture");
  table.replaceChildren();
  let group = "";
  for (const [name, value, ...old] of walk.view.values) {
    const at = /^[^:]+\[\d+\]:/.test(name) ? name.indexOf(":") : -1;
    const owner = at < 0 ? "" : name.slice(0, at);
    if (owner !== group) {
      const head = make("tr", undefined, "group");
      head.append(make("td", owner));
      table.append(head);
      group = owner;
    }
    const row = make("tr", undefined, old.length ? "changed" : ""), cell = make("td");
    if (old.length && old[0] !== null) cell.append(make("del", String(old[0])), " ");
    cell.append(String(value));
    row.append(make("td", name.slice(at + 1)), cell);
    table.append(row);
  }
  picture.hidden = walk.view.picture === null;
  if (walk.view.picture !== null) picture.innerHTML = walk.view.picture; // made and escaped by our own server
}

function showHistory() {
  const list = find("history"), told = walk.view.history;
  list.replaceChildren();
  list.start = told.first + 1;
  told.moves.forEach((steps, i) => {
    const number = told.first + i + 1, item = make("li");
    item.append(...sentence(steps), ...changesOf(steps));
    item.classList.toggle("now-at", number === walk.at);
    item.classList.toggle("cycle", walk.cycle !== null && number === walk.cycle + 1);
    item.addEventListener("click", () => go(number));
    list.append(item);
  });
  const left = walk.path.length - 1 - walk.at;
  if (left) list.append(make("li", `… ${left} more that you have left`, "later"));
  if (!list.children.length) list.append(make("li", "no move yet", "later"));
  const now = list.querySelector(".now-at");
  if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
}

/* ------------------------------------------------------------------------------------------------ the graph */

function showGraph() {
  const graph = walk.view.graph, svg = find("graph"), [wide, high] = graph.node, pad = 34;
  svg.replaceChildren();
  const width = graph.width + 2 * pad, height = graph.height + 2 * pad;
  svg.setAttribute("viewBox", `${-pad} ${-pad} ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  for (const edge of graph.edges) svg.append(edgeOf(edge));
  for (const node of graph.nodes) svg.append(nodeOf(node, wide, high));
  const box = svg.parentElement, here = graph.nodes.find((node) => node.here);
  if (here) {
    box.scrollTop = here.y + pad - box.clientHeight / 2;
    box.scrollLeft = here.x + pad - box.clientWidth / 3;
  }
}

function edgeOf(edge) {
  const near = edge.from === walk.view.node;
  const group = draw("g", { class: `edge lane${edge.lane}${near ? " near" : ""}${edge.way ? " way" : ""}${edge.bad ? " bad" : ""}` });
  group.append(draw("title", {}, edge.tips.join("\n")), draw("path", { d: edge.d, "marker-end": "url(#tip)" }));
  if (near && edge.at) group.append(draw("text", { x: edge.at[0], y: edge.at[1] - 5 }, short(edge.label, 16)));
  return group;
}

function nodeOf(node, wide, high) {
  const kinds = ["here", "past", "end", "open"].filter((kind) => node[kind]).join(" ");
  const group = draw("g", { class: `node ${kinds}${node.wrong ? " wrong" : ""}`, transform: `translate(${node.x} ${node.y})`, "data-node": node.id, tabindex: 0, role: "button" });
  const name = node.wrong ? short(node.wrong.split(":")[0], 9) : `#${node.id}`;
  const says = node.wrong || (node.end ? "the end of a run" : `state ${node.id}`);
  group.append(draw("title", {}, `${says}${node.orbit > 1 ? `; stands for ${node.orbit} states` : ""}`));
  group.append(draw("rect", { x: -wide / 2, y: -high / 2, width: wide, height: high, rx: 6 }), draw("text", { y: 4 }, name));
  const open = () => (node.here ? null : jump(node.path));
  group.addEventListener("click", open);
  group.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  if (node.orbit > 1) group.append(sizeOf(node, wide, high));
  return group;
}

function sizeOf(node, wide, high) {
  const words = `×${node.orbit}`, width = words.length * 6.5 + 8;
  const badge = draw("g", { class: "size", transform: `translate(${wide / 2 - 4} ${-high / 2})`, "data-unfold": node.id, tabindex: 0, role: "button", "aria-label": `unfold ${node.orbit} states` });
  badge.append(draw("title", {}, "unfold the orbit"), draw("rect", { x: -width / 2, y: -8, width, height: 15, rx: 7 }), draw("text", { y: 3.5 }, words));
  const open = (event) => { event.stopPropagation(); unfold(node); };
  badge.addEventListener("click", open);
  badge.addEventListener("keydown", (event) => { if (event.key === "Enter") open(event); });
  return badge;
}

/* ------------------------------------------------------------------------------------------------ orbits */

async function unfold(node) {
  const orbit = await ask("orbit", { path: node.path }), box = find("orbit");
  const head = make("h3", `State #${orbit.node} stands for ${orbit.size} states that differ only by a permutation`), close = make("button", "fold");
  close.type = "button";
  close.addEventListener("click", closeOrbit);
  head.append(close);
  const list = make("ul");
  for (const member of orbit.members) list.append(memberOf(member));
  box.replaceChildren(head, list);
  const left = orbit.size - orbit.members.length;
  if (left > 0) box.append(make("p", `and ${left} more`, "note"));
  box.hidden = false;
  box.scrollIntoView({ block: "nearest" });
}

function memberOf(member) {
  const item = make("li"), self = member.permutation === "()";
  item.className = self ? "member self" : "member";
  item.append(make("b", self ? "() as shown" : member.permutation));
  if (member.path && !self) {
    const button = make("button", "go there");
    button.type = "button";
    button.addEventListener("click", () => jump(member.path));
    item.append(button);
  }
  for (const change of member.differs) item.append(make("br"), make("span", changeText(change), "change"));
  if (member.more) item.append(make("br"), make("span", `and ${member.more} more`, "note"));
  if (!self && !member.differs.length) item.append(make("br"), make("span", "nothing that can be seen", "note"));
  return item;
}

function closeOrbit() {
  find("orbit").hidden = true;
}

/* ------------------------------------------------------------------------------------------------ the source */

function showSource() {
  for (const [line, content] of walk.marked) { line.innerHTML = content; line.classList.remove("here"); }
  walk.marked = [];
  for (const one of walk.view.standing) if (!one.done || one.line) flag(one);
  const moves = walk.view.history.moves, last = moves[moves.length - 1];
  if (!last) return;
  for (const step of last) mark(step);
}

function lineAt(place) {
  const line = place && find(`line-${place[0]}-${place[1]}`);
  if (line && !walk.marked.some(([known]) => known === line)) walk.marked.push([line, line.innerHTML]);
  return line;
}

function flag(one) {
  const line = lineAt(one.line);
  if (!line) return;
  let flags = line.querySelector(".flags");
  if (!flags) line.prepend((flags = make("span", undefined, "flags")));
  const sign = make("i", String(one.pid), laneOf(one.pid));
  sign.title = `${one.name} is here`;
  flags.append(sign);
}

function mark(step) {
  const line = lineAt(step.line);
  if (!line) return;
  line.classList.add("here");
  const box = line.closest(".scroll"), frame = box.getBoundingClientRect(), spot = line.getBoundingClientRect();
  if (spot.top < frame.top + 20 || spot.bottom > frame.bottom - 20) box.scrollTop += spot.top - frame.top - frame.height / 3;
}

/* ------------------------------------------------------------------------------------------------ searching */

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function search() {
  const box = find("search"), button = find("find");
  button.disabled = true;
  box.hidden = false;
  box.className = "search";
  try {
    let status = await ask("search", { do: "start" });
    while (status.running) {
      box.replaceChildren(status.states ? `Searching: ${status.states.toLocaleString("en")} states, ${status.queue.toLocaleString("en")} waiting, ${status.rate.toLocaleString("en")} a second. ` : `Searching (${status.doing || "starting"})… `);
      const stop = make("button", "stop");
      stop.type = "button";
      stop.addEventListener("click", () => ask("search", { do: "stop" }));
      box.append(stop);
      await pause(250);
      status = await ask("search", { do: "status" });
    }
    await result(box, status);
  } catch (problem) {
    box.replaceChildren(make("span", problem.message, "bad"));
  }
  button.disabled = false;
}

async function result(box, status) {
  if (!status.result) { box.replaceChildren(status.error || "nothing was found"); return; }
  const found = status.result;
  box.className = `search ${found.outcome}`;
  box.replaceChildren(make("b", found.title), `: ${found.headline} (${found.states.toLocaleString("en")} states). `);
  found.violations.forEach((violation, i) => {
    if (!violation.path) { box.append(`${violation.what}: ${violation.why}. `); return; }
    const button = make("button", found.violations.length > 1 ? `go to ${i + 1}` : "go there");
    button.type = "button";
    button.title = violation.what;
    button.addEventListener("click", () => jump(violation.path, violation.cycle));
    box.append(button);
  });
  const report = make("a", "the report of this run");
  report.href = "report";
  report.target = "_blank";
  box.append(report);
  const first = found.violations.find((violation) => violation.path);
  if (first) await jump(first.path, first.cycle);
}

/* ------------------------------------------------------------------------------------------------ the page */

function themeSwitch() {
  const root = document.documentElement, kept = localStorage.getItem("isospin-theme");
  if (kept) root.dataset.theme = kept;
  find("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("isospin-theme", root.dataset.theme);
  });
}

async function share() {
  const button = find("share");
  remember();
  try { await navigator.clipboard.writeText(location.href); button.textContent = "Copied"; } catch { button.textContent = "It is in the address bar"; }
  setTimeout(() => { button.textContent = "Copy address"; }, 1500);
}

async function start() {
  themeSwitch();
  recall();
  find("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  find("find").addEventListener("click", search);
  find("share").addEventListener("click", share);
  for (const button of document.querySelectorAll("[data-move]"))
    button.addEventListener("click", () => go({ first: 0, back: walk.at - 1, next: walk.at + 1, last: walk.path.length - 1 }[button.dataset.move]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const to = { ArrowRight: walk.at + 1, ArrowLeft: walk.at - 1, Home: 0, End: walk.path.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); go(to); }
    if (/^[1-9]$/.test(event.key) && walk.view?.actions[event.key - 1]) take(walk.view.actions[event.key - 1].index);
  });
  addEventListener("hashchange", () => { recall(); show(); });
  const about = await ask("about");
  find("file").textContent = about.file;
  find("symmetry").querySelector("summary").append(about.symmetry);
  find("symmetry").querySelector("p").append(`Why: ${about.why}.`);
  find("symmetry").querySelector("ul").append(...about.broken.map((reason) => make("li", reason)));
  if (about.starts > 1) starts(about.starts);
  await show();
}

/* A model with several initial states: which one? */
function starts(count) {
  const label = make("label", " initial state "), choice = make("select");
  for (let i = 0; i < count; i++) choice.append(make("option", String(i + 1)));
  choice.value = String(walk.path[0] + 1);
  choice.addEventListener("change", () => jump([Number(choice.value) - 1]));
  label.append(choice);
  find("file").append(label);
}

start();
