/* What is chosen: an entry or a thread, and what belongs to it. */

let marked = [];

function mark(cell, name) {
  if (cell) {
    cell.classList.add(name);
    marked.push([cell, name]);
    if (name === "fixed")
      cell.setAttribute("aria-selected", "true");
  }
}

/* Marks in a grid what belongs to an entry, or to a thread where n is -1. */
function markRelated(grid, n, thread) {
  const {layout, report} = grid;
  if (layout.isPlane) {
    layout.entriesOf(thread).forEach(held => mark(grid.cells[held], "same-thread"));
    mark(grid.heads[thread], "same-thread");
    if (n >= 0)
      layout.copiesOf(n).forEach(copy => mark(grid.cells[copy], "same-element"));
  } else if (layout.isPlaced) {
    placesOf(layout, n).forEach(other => mark(grid.cells[other], "same-element"));
  } else if (report.kind === "memory") {
    for (const axis of ["row", "col"])
      bankMates(layout, report.bits, n, axis).forEach(mate => mark(grid.cells[mate], "same-bank"));
    wordMates(layout, report.bits, n).forEach(mate => mark(grid.cells[mate], "same-word"));
  }
}

/* The entry of the other grid at the same place, or, of registers, of the same holder. */
function counterpart(choice) {
  const here = grids[choice.side].layout, there = grids[1 - choice.side].layout;
  if (choice.n < 0)
    return -1;
  if (state.view === "registers")
    return here.element[choice.n] < there.elements && here.thread[choice.n] < there.threads
      ? there.held[here.thread[choice.n] * there.elements + here.element[choice.n]] : -1;
  const where = here.where(choice.n);
  return there.entryAt(where.part, where.row, where.col);
}

function drawCounterpart(choice) {
  const grid = grids[1 - choice.side], n = counterpart(choice), {layout, report} = grid;
  if (n >= 0)
    mark(grid.cells[n], "counterpart");
  const thread = choice.n < 0 ? choice.thread : grids[choice.side].layout.thread[choice.n];
  if (layout.isPlane && thread < layout.threads)
    layout.entriesOf(thread).forEach(held => mark(grid.cells[held], "same-thread"));
  byId("other-label").textContent = `On ${archText(report.arch)}`;
  setText("info-other", n < 0 ? "" : state.view === "registers" ? placeText(layout, n)
    : layout.isPlane ? holderText(layout, n) : valueText(layout, n));
}

/* Marks and says what is chosen. */
function drawChoice() {
  for (const [cell, name] of marked) {
    cell.classList.remove(name);
    cell.removeAttribute("aria-selected");
  }
  marked = [];
  const {choice} = state, isProduct = state.view === "product";
  const grid = grids[choice.side];
  markRelated(grid, choice.n, choice.thread);
  for (const other of grids)
    if (isProduct && other.layout && other !== grid && choice.thread < other.layout.threads)
      markRelated(other, -1, choice.thread);
  const cell = choice.n < 0 ? grid.heads[choice.thread] : grid.cells[choice.n];
  mark(cell, "current");
  if (state.isFixed)
    mark(cell, "fixed");
  showInfo({layout: grid.layout, report: grid.report}, choice, state.isFixed);
  byId("info-title").textContent = (choice.isStart ? "Example element" : choice.n < 0 ? "Thread" : "Element") +
    (state.other ? ` on ${archText(grid.report.arch)}` : isProduct ? ` of ${letterOf(productOf(state.report), grid.report).toUpperCase()}` : "") +
    (state.isFixed ? ", selected" : "");
  byId("info").classList.toggle("start", choice.isStart === true);
  setText("info-other", "");
  if (state.other)
    drawCounterpart(choice);
  showFormulae(grid.layout, choice.n);
}

/* What is chosen until somebody chooses. */
function firstChoice(layout) {
  const n = Math.max(layout.entryAt(0, 0, 0), 0);
  return {side: 0, n, thread: layout.thread[n], isStart: true};
}

function choiceOf(side, cell) {
  const n = cell.entry === undefined ? -1 : cell.entry;
  return {side, n, thread: n < 0 ? cell.thread : grids[side].layout.thread[n]};
}

function isSame(a, b) {
  return a.side === b.side && a.n === b.n && a.thread === b.thread && a.isStart === b.isStart;
}

function choose(choice, isFixed) {
  if (isSame(choice, state.choice) && isFixed === state.isFixed)
    return;
  Object.assign(state, {choice, isFixed});
  drawChoice();
}

function speak() {
  const {choice} = state;
  byId("announce").textContent = spokenText(grids[choice.side], choice) + (state.isFixed ? ", selected" : "");
}

/* The cell, or the head of a row, that stands for a choice; of a thread the first cell where there
 * are no heads. */
function cellOf(choice) {
  const grid = grids[choice.side];
  return choice.n < 0 ? grid.heads[choice.thread] || grid.cells[grid.layout.entriesOf(choice.thread)[0]]
    : grid.cells[choice.n];
}
