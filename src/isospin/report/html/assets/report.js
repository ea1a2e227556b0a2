/* Steps through counterexamples: the slider, the chart, the variables, the picture and the source go together. */

const make = (name, content, kind) => {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (content !== undefined) element.textContent = content;
  return element;
};

function themeSwitch() {
  const root = document.documentElement;
  const keep = (value) => { try { localStorage.setItem("isospin-theme", value); } catch { /* a file may have no storage */ } };
  try { const kept = localStorage.getItem("isospin-theme"); if (kept) root.dataset.theme = kept; } catch { /* as above */ }
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep(root.dataset.theme);
  });
}

class Player {
  constructor(root, story) {
    this.root = root;
    this.story = story;
    this.at = 0;
    this.timer = null;
    this.marked = [];
    this.slider = root.querySelector(".slider");
    this.rows = [...root.querySelectorAll(".row")];
    this.bands = [...root.querySelectorAll(".band")];
    this.failed = root.querySelector(".failed");
    this.lines = [...root.querySelectorAll(".steps .line")];
    this.states = [...root.querySelectorAll("[data-state]")];
    this.values = this.allValues();
    this.watches = [];
    this.hidden = new Set();
    this.listen();
    this.listenToTools();
  }

  get last() { return this.story.steps.length; }

  listen() {
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    for (const button of this.root.querySelectorAll("[data-move]"))
      button.addEventListener("click", () => this.move(button.dataset.move));
    for (const parts of [this.rows, this.bands, this.lines])
      parts.forEach((part, i) => part.addEventListener("click", () => this.show(i + 1)));
    this.failed?.addEventListener("click", () => this.show(this.last));
  }

  /* what is shown, and how */
  listenToTools() {
    const find = (name) => this.root.querySelector(name);
    const list = find("[data-view]"), box = find(".chartbox");
    const change = (asList) => {
      box.classList.toggle("aslist", asList);
      list.textContent = asList ? "chart" : "list";
    };
    change(matchMedia("(max-width: 600px)").matches);
    list.addEventListener("click", () => { change(!box.classList.contains("aslist")); this.scrollChart(); });
    for (const tick of this.root.querySelectorAll("[data-lane]"))
      tick.addEventListener("change", () => {
        tick.checked ? this.hidden.delete(tick.dataset.lane) : this.hidden.add(tick.dataset.lane);
        this.placeLanes();
      });
    for (const name of [".filter", ".since", ".only", ".compact"]) find(name).addEventListener("input", () => this.showValues());
    find(".since").max = this.story.first + this.last;
    find(".watching").addEventListener("submit", (event) => { event.preventDefault(); this.watch(find(".watch")); });
    for (const place of this.root.querySelectorAll("[data-line]"))
      place.addEventListener("click", () => showLine(document.getElementById(`line-${place.dataset.line}`)));
  }

  /* Lanes that are hidden leave no gap: the others move to the left, and arrows shrink between them. */
  placeLanes() {
    const shift = {};
    let gone = 0;
    for (const pid of Object.keys(this.story.lanes)) {
      shift[pid] = -gone;
      if (this.hidden.has(pid)) gone += this.story.laneWidth;
    }
    const move = (part, by) => part.setAttribute("transform", `translate(${by} 0)`);
    for (const part of this.root.querySelectorAll(".chart [data-pid]")) {
      part.classList.toggle("away", this.hidden.has(part.dataset.pid));
      move(part, shift[part.dataset.pid] ?? 0);
    }
    for (const part of this.root.querySelectorAll(".chart [data-from]")) this.placeArrow(part, shift, move);
    for (const part of this.root.querySelectorAll(".chart .change, .chart .changes, .chart .back")) move(part, -gone);
    this.narrow(gone);
    for (const line of this.lines) line.classList.toggle("away", this.hidden.has(line.dataset.pid));
  }

  placeArrow(part, shift, move) {
    const { from, to } = part.dataset, [a, b] = part.dataset.ends.split(" ").map(Number);
    part.classList.toggle("away", this.hidden.has(from) || this.hidden.has(to));
    if (a === b) return move(part, shift[from]);
    const scale = (b + shift[to] - a - shift[from]) / (b - a);
    if (part.classList.contains("words")) return move(part, (shift[from] + shift[to]) / 2);
    part.setAttribute("transform", `matrix(${scale} 0 0 1 ${a + shift[from] - scale * a} 0)`);
  }

  narrow(gone) {
    for (const part of this.root.querySelectorAll(".chartbox .chart, .chart .band, .chart .cycle, .chart .failed rect")) {
      part.dataset.wide ??= part.getAttribute("width");
      const wide = Number(part.dataset.wide) - gone;
      part.setAttribute("width", wide);
      if (part.matches(".chart")) part.setAttribute("viewBox", `0 0 ${wide} ${part.getAttribute("height")}`);
    }
  }

  /* expressions that are watched */
  watch(field) {
    const names = new Set(this.values.flatMap((now) => [...now.keys()]));
    const words = new Set(this.values.flatMap((now) => [...now.values()]).filter((v) => typeof v === "string"));
    try {
      const expression = new Expression(field.value, names, words);
      this.watches.push({ text: field.value, along: valuesAlong(expression, this.values) });
      field.value = "";
      field.setCustomValidity("");
    } catch (problem) {
      if (!(problem instanceof Unknown)) throw problem;
      field.setCustomValidity(problem.message);
      field.reportValidity();
      field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
    }
    this.showWatches();
  }

  showWatches() {
    const list = this.root.querySelector(".watches");
    list.replaceChildren();
    for (const watch of this.watches) {
      const row = make("li"), close = make("button", "×", "close"), line = make("span", undefined, "along");
      close.title = "watch it no more";
      close.addEventListener("click", () => { this.watches = this.watches.filter((w) => w !== watch); this.showWatches(); });
      watch.along.forEach((value, at) => { if (!at || value !== watch.along[at - 1]) line.append(this.moment(value, at)); });
      row.append(make("code", watch.text), " = ", make("b", watch.along[this.at] ?? "not known", "change"), close, line);
      list.append(row);
    }
  }

  /* a value, and the step from which on it is so */
  moment(value, at) {
    const button = make("button", `${this.story.first + at}: ${value ?? "?"}`, "moment");
    button.type = "button";
    button.title = `from step ${this.story.first + at} on`;
    button.addEventListener("click", () => this.show(at));
    return button;
  }

  move(how) {
    if (how === "play") return this.play();
    this.stop();
    const to = { first: 0, back: this.at - 1, next: this.at + 1, last: this.last }[how];
    this.show(Math.max(0, Math.min(this.last, to)));
  }

  play() {
    if (this.timer) return this.stop();
    if (this.at === this.last) this.show(0);
    this.root.classList.add("playing");
    this.timer = setInterval(() => (this.at < this.last ? this.show(this.at + 1) : this.stop()), 900);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.root.classList.remove("playing");
  }

  show(at) {
    this.at = at;
    this.slider.value = at;
    this.root.querySelector(".count").textContent = `${this.story.first + at} / ${this.story.first + this.last}`;
    this.rows.forEach((row, i) => {
      row.classList.toggle("now", i + 1 === at);
      this.bands[i].classList.toggle("now", i + 1 === at);
      row.classList.toggle("later", i + 1 > at);
      this.lines[i].classList.toggle("now", i + 1 === at);
      this.lines[i].classList.toggle("later", i + 1 > at);
    });
    this.scrollChart();
    this.tell();
    this.showValues();
    this.showPicture();
    this.showSource();
    this.showWatches();
    this.showClaim();
    try { history.replaceState(null, "", `#step=${this.story.first + at}`); } catch { /* in a frame of a notebook there is no address */ }
  }

  scrollChart() {
    const asList = this.root.querySelector(".chartbox").classList.contains("aslist");
    const box = this.root.querySelector(asList ? ".steps" : ".chartbox .scroll");
    const failed = asList ? this.root.querySelector(".steps .bad") : this.failed;
    const row = this.at === this.last && failed ? failed : (asList ? this.lines : this.rows)[this.at - 1];
    if (!row) { box.scrollTop = 0; return; }
    const frame = box.getBoundingClientRect(), place = row.getBoundingClientRect();
    const act = row.querySelector(".act")?.getBoundingClientRect();
    if (act && (act.left < frame.left || act.right > frame.right)) box.scrollLeft += act.left - frame.left - (frame.width - act.width) / 2;
    if (place.top < frame.top + 40) box.scrollTop -= frame.top + 40 - place.top + 20;
    else if (place.bottom > frame.bottom) box.scrollTop += place.bottom - frame.bottom + 20;
  }

  /* one sentence about the step */
  tell() {
    const now = this.root.querySelector("p.now"), step = this.story.steps[this.at - 1];
    now.replaceChildren();
    if (!step) {
      now.append("Before the first step. The arrow keys, the slider, or a click on a row go through the run.");
    } else {
      const who = make("span", step.who, `who lane${step.lane}`);
      now.append(who, step.statement === "ends" && !step.line ? " " : " executes ", make("code", step.statement));
      if (step.partner) now.append(" together with ", make("b", step.partner), ": ", make("code", step.partnerStatement));
      if (step.line) now.append(` (line ${step.line[1]})`);
      step.changes.forEach(([name, old, value], i) => now.append(i ? ", " : ". ", make("b", changeText(name, old, value), "change")));
      if (step.output.trim()) now.append(`. It prints “${step.output.trim()}”`);
      now.append(".");
    }
    const start = this.story.cycle === null ? null : this.story.cycle - this.story.first;
    if (start !== null && this.at === start) now.append(" ", make("span", "From here on, the steps below are repeated for ever.", "loop"));
    if (this.at === this.last) now.append(" ", make("span", this.story.failed, "bad"));
  }

  /* the variables at each step */
  allValues() {
    if (this.story.values.length) return this.fromScenes();
    return this.fromChanges();
  }

  fromScenes() {
    const all = [];
    let now = new Map();
    for (const changed of this.story.values) {
      now = new Map(now);
      for (const [name, ...value] of changed) value.length ? now.set(name, value[0]) : now.delete(name);
      all.push(now);
    }
    return all;
  }

  /* Of a program only what steps read and wrote is known. */
  fromChanges() {
    let now = new Map();
    for (const step of this.story.steps)
      for (const [name, old, value] of step.changes)
        if (!now.has(name) && (known(name, old, value) !== undefined)) now.set(name, old === null ? "?" : old);
    const all = [now];
    for (const step of this.story.steps) {
      now = new Map(now);
      for (const [name, old, value] of step.changes) {
        const seen = known(name, old, value);
        if (seen !== undefined) now.set(name, seen);
      }
      all.push(now);
    }
    return all;
  }

  showValues() {
    const field = (name) => this.root.querySelector(name);
    const since = field(".since").value === "" ? this.at - 1 : Number(field(".since").value) - this.story.first;
    const before = this.values[since], wanted = field(".filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const only = field(".only").checked, table = this.root.querySelector(".values");
    table.replaceChildren();
    let group = "";
    for (const row of this.rowsOfValues(before, field(".compact").checked)) {
      if (wanted.length && !wanted.some((part) => row.name.toLowerCase().includes(part))) continue;
      if (only && !row.cells.some((cell) => cell.changed)) continue;
      if (row.owner !== group) {
        const head = make("tr", undefined, "group");
        head.append(make("td", row.owner));
        table.append(head);
        group = row.owner;
      }
      table.append(valueRow(row));
    }
    this.root.querySelector(".variables").hidden = this.values[this.at].size === 0;
  }

  /* Names with their values now and before; the elements of an array stand in one row. */
  rowsOfValues(before, compact) {
    const rows = [], arrays = new Map();
    for (const [name, value] of this.values[this.at]) {
      const [owner, short] = /^[^:]+\[\d+\]:/.test(name) ? [name.slice(0, name.indexOf(":")), name.slice(name.indexOf(":") + 1)] : ["", name];
      const old = before?.get(name), cell = { value, old, changed: Boolean(before) && old !== value };
      const array = compact ? /^(.*)\[(\d+)\]$/.exec(short)?.[1] : undefined, key = `${owner}:${array}`;
      if (array !== undefined && arrays.has(key)) { arrays.get(key).cells.push(cell); continue; }
      const row = { name, owner, short, array, cells: [cell] };
      if (array !== undefined) arrays.set(key, row);
      rows.push(row);
    }
    return rows;
  }

  /* in which states of its automaton a claim can be; inside of an atomic sequence it does not look */
  showClaim() {
    const along = this.story.automaton;
    let at = Math.min(this.at, along.length - 1);
    while (at > 0 && !along[at].length) at--;
    for (const state of this.states) state.classList.toggle("now", Boolean(along[at]?.includes(Number(state.dataset.state))));
  }

  showPicture() {
    const box = this.root.querySelector(".drawing");
    if (!box || !this.story.picture.length) return;
    box.innerHTML = this.story.pictures[this.story.picture[this.at]]; // made and escaped by our own code; scripts cannot run
  }

  /* the line of the step, and where the other processes are */
  showSource() {
    for (const [line, content] of this.marked) { line.innerHTML = content; line.classList.remove("here"); }
    this.marked = [];
    const step = this.story.steps[this.at - 1];
    for (const [pid, place] of this.story.standing[this.at] ?? []) this.flag(place, pid);
    if (!step) return;
    if (step.partnerLine) this.here(step.partnerLine, step.partnerStatement, 0);
    if (step.line) this.here(step.line, step.statement, step.column);
  }

  line(place) {
    const line = place && document.getElementById(`line-${place[0]}-${place[1]}`);
    if (line && !this.marked.some(([known]) => known === line)) this.marked.push([line, line.innerHTML]);
    return line;
  }

  here(place, statement, column) {
    const line = this.line(place);
    if (!line) return;
    line.classList.add("here");
    const code = line.querySelector("code"), content = code.textContent;
    const start = column && content.startsWith(statement, column - 1) ? column - 1 : content.indexOf(statement);
    if (start >= 0 && statement) mark(code, start, start + statement.length);
    scrollTo(line);
  }

  flag(place, pid) {
    const line = this.line(place);
    if (!line) return;
    let flags = line.querySelector(".flags");
    if (!flags) line.prepend((flags = make("span", undefined, "flags")));
    const flag = make("i", String(pid), `lane${this.story.lanes[pid] ?? 0}`);
    flag.title = `process ${pid} is here`;
    flags.append(flag);
  }
}

/* Mark letters of an element, whatever elements they are in. */
function mark(element, start, end) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), parts = [];
  for (let at = 0, node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent.length;
    if (at < end && at + length > start) parts.push([node, Math.max(start - at, 0), Math.min(end - at, length)]);
    at += length;
  }
  for (const [node, from, to] of parts) {
    const text = node.textContent;
    node.replaceWith(text.slice(0, from), make("mark", text.slice(from, to)), text.slice(to));
  }
}

function scrollTo(line) {
  const box = line.closest(".scroll"), frame = box.getBoundingClientRect(), spot = line.getBoundingClientRect();
  if (spot.top < frame.top + 20 || spot.bottom > frame.bottom - 20) box.scrollTop += spot.top - frame.top - frame.height / 3;
}

/* Where a frame of a stack is. */
function showLine(line) {
  if (!line) return;
  document.querySelectorAll(".source li.seen").forEach((other) => other.classList.remove("seen"));
  line.classList.add("seen");
  line.closest(".sources").scrollIntoView({ block: "nearest" });
  scrollTo(line);
}

/* A variable, or an array in a line. */
function valueRow({ short, array, cells }) {
  const row = make("tr", undefined, cells.some((cell) => cell.changed) ? "changed" : ""), shown = make("td");
  const isArray = array !== undefined && cells.length > 1;
  cells.forEach((cell, i) => {
    if (isArray) shown.append(i ? ", " : "[");
    if (cell.changed && cell.old !== undefined) shown.append(make("del", String(cell.old)), " ");
    shown.append(cell.changed ? make("b", String(cell.value)) : String(cell.value));
  });
  if (isArray) shown.append("]");
  row.append(make("td", isArray ? array : short), shown);
  return row;
}

const known = (name, old, value) => {
  if (typeof value === "string" && old === null) return value.startsWith("is ") ? value.slice(3) : undefined;
  return value === null ? undefined : value;
};

const changeText = (name, old, value) => (old === null ? `${name} ${value}`.trim() : value === null ? `${name} ${old}` : `${name}: ${old} → ${value}`);

function start() {
  themeSwitch();
  const data = JSON.parse(document.getElementById("data").textContent);
  const players = data.stories.map((story, i) => new Player(document.querySelector(`[data-story="${i}"]`), story));
  let current = players[0];
  if (!current) return;
  document.getElementById("which")?.addEventListener("change", (event) => {
    current.stop();
    players.forEach((player, i) => { player.root.hidden = i !== Number(event.target.value); });
    current = players[Number(event.target.value)];
    current.show(current.last);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("select, input:not([type=range]):not([type=checkbox])") || event.ctrlKey || event.metaKey || event.altKey) return;
    const how = { ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back", Home: "first", End: "last", " ": "play" }[event.key];
    if (!how || (event.key === " " && event.target.closest("button, [type=checkbox]"))) return;
    event.preventDefault();
    current.move(how);
  });
  const asked = () => Number(/^#step=(\d+)$/.exec(location.hash)?.[1] ?? NaN) - current.story.first;
  addEventListener("hashchange", () => { if (asked() >= 0 && asked() !== current.at) current.show(Math.min(asked(), current.last)); });
  current.show(asked() >= 0 ? Math.min(asked(), current.last) : current.last); // where it fails
}

start();
