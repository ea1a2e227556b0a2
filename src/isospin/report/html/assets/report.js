"use strict";
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
    this.values = this.allValues();
    this.listen();
  }

  get last() { return this.story.steps.length; }

  listen() {
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    for (const button of this.root.querySelectorAll("[data-move]"))
      button.addEventListener("click", () => this.move(button.dataset.move));
    for (const parts of [this.rows, this.bands])
      parts.forEach((part, i) => part.addEventListener("click", () => this.show(i + 1)));
    this.failed?.addEventListener("click", () => this.show(this.last));
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
    });
    this.scrollChart();
    this.tell();
    this.showValues();
    this.showPicture();
    this.showSource();
    try { history.replaceState(null, "", `#step=${this.story.first + at}`); } catch { /* in a frame of a notebook there is no address */ }
  }

  scrollChart() {
    const box = this.root.querySelector(".chartbox .scroll");
    const row = this.at === this.last && this.failed ? this.failed : this.rows[this.at - 1];
    if (!row) { box.scrollTop = 0; return; }
    const frame = box.getBoundingClientRect(), place = row.getBoundingClientRect();
    const act = row.querySelector(".act")?.getBoundingClientRect();
    if (act && (act.left < frame.left || act.right > frame.right)) box.scrollLeft += act.left - frame.left - (frame.width - act.width) / 2;
    if (place.top < frame.top + 40) box.scrollTop -= frame.top + 40 - place.top + 20;
    else if (place.bottom > frame.bottom) box.scrollTop += place.bottom - frame.bottom + 20;
  }

  /* one sentence about the step */
  tell() {
    const now = this.root.querySelector(".now"), step = this.story.steps[this.at - 1];
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
    const table = this.root.querySelector(".values"), now = this.values[this.at], before = this.values[this.at - 1];
    table.replaceChildren();
    let group = "";
    for (const [name, value] of now) {
      const [owner, short] = /^[^:]+\[\d+\]:/.test(name) ? [name.slice(0, name.indexOf(":")), name.slice(name.indexOf(":") + 1)] : ["", name];
      if (owner !== group) {
        const head = make("tr", undefined, "group");
        head.append(make("td", owner));
        table.append(head);
        group = owner;
      }
      const row = make("tr"), cell = make("td"), old = before?.get(name);
      if (before && old !== value) {
        row.className = "changed";
        if (old !== undefined) cell.append(make("del", String(old)), " ");
      }
      cell.append(String(value));
      row.append(make("td", short), cell);
      table.append(row);
    }
    this.root.querySelector(".variables").hidden = now.size === 0;
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
    if (start >= 0 && statement)
      code.replaceChildren(content.slice(0, start), make("mark", statement), content.slice(start + statement.length));
    const box = line.closest(".scroll"), frame = box.getBoundingClientRect(), spot = line.getBoundingClientRect();
    if (spot.top < frame.top + 20 || spot.bottom > frame.bottom - 20) box.scrollTop += spot.top - frame.top - frame.height / 3;
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
    if (event.target.closest("select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const how = { ArrowRight: "next", ArrowDown: "next", ArrowLeft: "back", ArrowUp: "back", Home: "first", End: "last", " ": "play" }[event.key];
    if (!how || (event.key === " " && event.target.closest("button"))) return;
    event.preventDefault();
    current.move(how);
  });
  const asked = () => Number(/^#step=(\d+)$/.exec(location.hash)?.[1] ?? NaN) - current.story.first;
  addEventListener("hashchange", () => { if (asked() >= 0 && asked() !== current.at) current.show(Math.min(asked(), current.last)); });
  current.show(asked() >= 0 ? Math.min(asked(), current.last) : current.last); // where it fails
}

start();
