/* What people do: with the controls, a pointer, keys, and the address. */

/* Changes what is shown, and keeps the place that is chosen where there is one like it. */
function change(changes) {
  const {choice, isFixed} = state, layout = show(state.report).layout;
  const where = choice.side === 0 && choice.n >= 0 && !choice.isStart ? layout.where(choice.n) : null;
  const isOther = changes.report && changes.report.key !== state.report.key;
  Object.assign(state, changes, {choice: null, isFixed: false});
  const now = show(state.report).layout;
  const n = where && !isOther ? now.entryAt(where.part, where.row, where.col) : -1;
  if (n >= 0)
    Object.assign(state, {choice: {side: 0, n, thread: now.thread[n]}, isFixed});
  else if (choice.n < 0 && !isOther && choice.thread < now.threads && now.isPlane)
    Object.assign(state, {choice: {side: 0, n: -1, thread: choice.thread}, isFixed});
  if (state.other === state.report || (state.other && state.other.key !== state.report.key))
    state.other = null;
  say("");
  draw();
  if (state.isFixed)
    reveal(cellOf(state.choice), false);
  writeAddress();
}

function changeName(name) {
  const {arch} = state.report, other = state.other && state.other.arch, reports = byName.get(name);
  const report = reports.find(found => found.arch === arch) || reports[0];
  change({report, other: reports.find(found => found.arch === other && found !== report) || null});
}

function listenToControls() {
  byId("fragment").addEventListener("change", event => changeName(event.target.value));
  byId("arch").addEventListener("change", event =>
    change({report: findReport(state.report.key, event.target.value)}));
  byId("compare").addEventListener("change", event =>
    change({other: event.target.value ? findReport(state.report.key, event.target.value) : null}));
  byId("view").addEventListener("change", event => change({view: event.target.value}));
  byId("color").addEventListener("change", event => change({color: event.target.value}));
  byId("filter").addEventListener("input", fillNames);
  byId("filter").addEventListener("keydown", event => {
    const found = Array.from(byId("fragment").options).find(option => option.value !== state.report.key);
    if (event.key === "Enter" && found)
      changeName(found.value);
  });
  byId("find").addEventListener("keydown", event => {
    if (event.key === "Enter")
      applyFind();
  });
  let size = 12;
  for (const [id, step] of [["smaller", -1], ["larger", 1]])
    byId(id).addEventListener("click", () => {
      size = Math.min(20, Math.max(5, size + step));
      byId("grids").style.fontSize = `${size}px`;
    });
}

const targetOf = event => event.target instanceof Element
  ? event.target.closest("td[data-part], th[data-thread]") : null;

/* After keys were used, cells that only scroll by below the pointer are not pointed at. */
let wasKey = false, isPressed = false;

function point(side, event) {
  const cell = targetOf(event);
  if (cell && !state.isFixed && !(wasKey && event.isTrusted))
    choose(choiceOf(side, cell), false);
}

function click(side, event) {
  const cell = targetOf(event);
  isPressed = false;
  if (!cell)
    return;
  const choice = choiceOf(side, cell);
  grids[side].moveStop(cell);
  choose(choice, !(state.isFixed && isSame(choice, state.choice)));
  say("");
  writeAddress();
  speak();
}

function focus(side, event) {
  const cell = targetOf(event);
  if (!cell || isPressed)
    return;
  grids[side].moveStop(cell);
  choose(choiceOf(side, cell), state.isFixed);
  speak();
}

function nextCell(grid, cell, event) {
  const all = event.ctrlKey || event.metaKey;
  switch (event.key) {
  case "ArrowUp": return grid.next(cell, -1, 0);
  case "ArrowDown": return grid.next(cell, 1, 0);
  case "ArrowLeft": return grid.next(cell, 0, -1);
  case "ArrowRight": return grid.next(cell, 0, 1);
  case "Home": return grid.end(cell, false, all);
  case "End": return grid.end(cell, true, all);
  case "PageUp": return grid.next(cell, -8, 0);
  case "PageDown": return grid.next(cell, 8, 0);
  default: return undefined;
  }
}

let writing = 0;

function press(side, event) {
  const cell = targetOf(event);
  if (!cell || event.altKey)
    return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    click(side, event);
    return;
  }
  const next = nextCell(grids[side], cell, event);
  if (next === undefined)
    return;
  event.preventDefault();
  wasKey = true;
  if (!next)
    return;
  next.focus({preventScroll: true});
  next.scrollIntoView({block: "nearest", inline: "nearest"});
  clearTimeout(writing);
  writing = setTimeout(writeAddress, 150);
}

/* The side whose next scrolling only follows from that of the other one, or -1. */
let following = -1;

/* Scrolls both grids together. */
function scrollOther(side) {
  if (!state.other)
    return;
  const {container} = grids[side], other = grids[1 - side].container;
  if (following === side) {
    following = -1;
    return;
  }
  const {scrollTop, scrollLeft} = other;
  other.scrollTop = container.scrollTop;
  other.scrollLeft = container.scrollLeft;
  if (other.scrollTop !== scrollTop || other.scrollLeft !== scrollLeft)
    following = 1 - side;
}

function listenToGrids() {
  grids.forEach((grid, side) => {
    const {container} = grid;
    container.addEventListener("mouseenter", event => point(side, event), true);
    container.addEventListener("mouseover", event => point(side, event));
    container.addEventListener("mousemove", event => {
      wasKey = false;
      point(side, event);
    });
    container.addEventListener("mousedown", () => {
      isPressed = true;
    });
    container.addEventListener("click", event => click(side, event));
    container.addEventListener("scroll", () => scrollOther(side));
    container.addEventListener("focusin", event => focus(side, event));
    container.addEventListener("keydown", event => press(side, event));
  });
  document.addEventListener("mouseup", () => {
    isPressed = false;
  });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !state.isFixed)
      return;
    choose(state.choice, false);
    writeAddress();
    speak();
  });
  window.addEventListener("hashchange", openAddress);
}

byId("footer").textContent = `Made by mapping ${data.version}. All indices start at 0.`;
listenToControls();
listenToGrids();
openAddress();
