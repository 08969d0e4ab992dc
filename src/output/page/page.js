/* The page: the shown layouts, the chosen element, the controls, drawing, and the events of pointer and keys. */

const data = JSON.parse(byId("data").textContent);
const layouts = new Map(); /* those shown so far; reports share them */
const grids = ["grid", "grid2", "grid3"].map((id, side) => new Grid(byId(id), side));

/* What is shown, and what is chosen: an entry n of the grid of number `side` or, if n is -1, a thread. A fixed choice
 * stays when the pointer moves to another cell. */
const state = {report: null, other: null, view: "matrix", color: "", isWhole: false, choice: null, isFixed: false};

/* Reports by name, in the order of the file. Two of the same name and architecture get different names. */
const byName = new Map();
for (const report of data.reports) {
  const isTaken = name => byName.has(name) && byName.get(name).some(other => other.arch === report.arch);
  let name = report.name;
  for (let n = 2; isTaken(name); n++)
    name = `${report.name} (${n})`;
  report.key = name;
  if (!byName.has(name))
    byName.set(name, []);
  byName.get(name).push(report);
}

function layoutOf(report) {
  const key = `${report.layout} ${report.kind} ${report.bits} ${report.used}`;
  if (!layouts.has(key))
    layouts.set(key, new Layout(data.layouts[report.layout], report));
  return layouts.get(key);
}

/* Pages of more names than this open with the fragment that the program shows without arguments. */
const NAMES_FEW = 12, USUAL = {name: "wmma.m16n16k16.d.f32", arch: 80};

function firstReport() {
  const usual = byName.size > NAMES_FEW && byName.get(USUAL.name) || [data.reports[0]];
  return usual.find(report => report.arch === USUAL.arch) || usual[0];
}

/* A, B and D of an opcode that has the report, or A and D of one that reads B from shared memory; null if the page
 * does not have them. */
function productOf(report) {
  for (const names of data.products) {
    const reports = names.includes(report.name) ? names.map(name => data.reports.find(other =>
      other.name === name && other.arch === report.arch)) : [];
    if (reports.length > 0 && reports.every(other => other))
      return reports;
  }
  return null;
}
const letterOf = (product, report) => (product.length === 3 ? "abd" : "ad")[product.indexOf(report)];

/* "mma.m16n8k16: A bf16, B bf16, D f32 on sm_80". */
const productTitle = product => `${groupOf(product[0].key)}: ` +
  `${product.map(report => `${letterOf(product, report).toUpperCase()} ${report.key.slice(groupOf(report.key).length + 3)}`).join(", ")}` +
  ` on ${archText(product[0].arch)}`;

const archText = arch => arch ? `sm_${arch}` : "";
const titleOf = report => report.key + (report.arch ? ` on ${archText(report.arch)}` : "");
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function say(sentence) {
  byId("message").textContent = sentence;
}

/* For each kind of layout: its views except "matrix", and its colors, with their labels; what Find accepts besides a
 * position, and an example of it. */
const KINDS = {
  plane: {
    views: {registers: "registers"}, colors: {thread: "thread", element: "element"}, found: "a thread", example: "T13 i2 or T13",
  },
  placed: {views: {}, colors: {lane: "lane", column: "column"}, found: "a lane and column", example: "lane 3 column 5"},
  memory: {views: {addresses: "addresses", both: "both"}, colors: {bank: "bank"}, found: "an offset", example: "offset 72"},
  values: {views: {}, colors: {bank: "value"}, found: "", example: ""},
};

const colorsOf = report => KINDS[layoutOf(report).kind].colors;

function viewsOf(report) {
  const layout = layoutOf(report), product = layout.isPlane ? productOf(report) : null;
  const both = product ? {product: product.length === 3 ? "A, B and D" : "A and D"} : {};
  return {matrix: "matrix", ...KINDS[layout.kind].views, ...both};
}

/* ---- Controls ---- */

function makeOption(value, text, isSelected) {
  return make("option", {value, textContent: text, selected: isSelected});
}

/* The instruction and its shape, by which names are grouped. */
function groupOf(name) {
  const match = /^(.*?\.m\d+(n\d+)?(k\d+)?)\./.exec(name) || /^(tcgen05\.\w+\.\d+x\w+)\./.exec(name);
  return match ? match[1] : "";
}

/* Joins names that share a layout: "mma.m16n8k16.{c,d}.f32" if they are all combinations of these words, else "a, b". */
function joinNames(names) {
  const words = names.map(name => name.split(".")), first = words[0];
  const sets = first.map((_, w) => Array.from(new Set(words.map(word => word[w]))));
  const isProduct = words.every(word => word.length === first.length) &&
    sets.reduce((product, set) => product * set.length, 1) === names.length;
  return isProduct ? sets.map(set => set.length > 1 ? `{${set.join()}}` : set[0]).join(".") : names.join(", ");
}

/* Lists of names that share everything that the page shows: on each of their architectures, the layout, the widths of
 * elements and registers, and the notes. */
function alikeNames() {
  const alike = new Map();
  for (const [name, reports] of byName) {
    const key = reports[0].kind !== "fragment" ? name : groupOf(name) +
      reports.map(report => `${report.arch} ${report.layout} ${report.notes} ${report.bits} ${report.used}`).join(";");
    alike.set(key, [...(alike.get(key) || []), name]);
  }
  return Array.from(alike.values());
}
const namesAlike = alikeNames();

function fillNames() {
  const words = byId("filter").value.toLowerCase().split(/[\s*]+/).filter(word => word), groups = new Map();
  for (const alike of namesAlike) {
    const names = alike.filter(name => name === state.report.key || words.every(word => name.toLowerCase().includes(word)));
    if (names.length === 0)
      continue;
    const group = byName.size > NAMES_FEW ? groupOf(names[0]) : "", isShown = names.includes(state.report.key);
    const option = makeOption(isShown ? state.report.key : names[0], joinNames(names), isShown);
    option.names = names;
    if (!groups.has(group))
      groups.set(group, []);
    groups.get(group).push(option);
  }
  byId("fragment").replaceChildren(...Array.from(groups).flatMap(([label, options]) =>
    label ? [make("optgroup", {label}, ...options)] : options));
}

function fillChoices(id, choices, value) {
  byId(id).replaceChildren(...Object.entries(choices).map(([name, text]) => makeOption(name, text, name === value)));
}

function fillControls() {
  const {report: own, other, view, color} = state, reports = byName.get(own.key);
  const others = reports.filter(report => report !== own).map(report => makeOption(archText(report.arch),
    `${archText(report.arch)}: ${report.layout === own.layout ? "the same" : "differs"}`, report === other));
  fillNames();
  byId("filter-label").hidden = byName.size <= NAMES_FEW;
  byId("arch").replaceChildren(...reports.map(report =>
    makeOption(archText(report.arch), archText(report.arch) || "any", report === own)));
  byId("compare").replaceChildren(makeOption("", "none", !other), ...others);
  byId("compare").disabled = others.length === 0 || ["product", "both"].includes(view);
  fillChoices("view", viewsOf(own), view);
  fillChoices("color", colorsOf(own), color);
}

/* ---- Sentences above and below the grids ---- */

/* The size and type of the matrix, and where its elements are. */
function factsText(report) {
  const layout = layoutOf(report), sizes = layout.grid.map(([, size]) => size), [rows, cols] = sizes.slice(-2);
  const type = report.type ? ` of type ${report.type}` : "";
  if (layout.isPlaced)
    return `${rows} x ${cols} elements${type}. They occupy ` +
      layout.to.filter(([name]) => ["cta", "lane", "column"].includes(name))
        .map(([name, size]) => plural(size, name === "cta" ? "CTA" : name)).join(" x ") + " of Tensor Memory." +
      (layout.parts > 1 ? ` Each element has ${layout.parts} positions there.` : "");
  if (!layout.isPlane)
    return report.type ? `${sizes.join(" x ")} elements${type}, ${report.bytes} bytes.` : `${sizes.join(" x ")} entries.`;
  const isThread = ([name]) => name === "tid", threads = layout.threadSpace.find(isThread);
  const outer = threads ? layout.threadSpace.filter(axis => !isThread(axis)) : [];
  const registers = Math.ceil(layout.elements * layout.bits / WORD_BITS);
  return `${layout.blocks > 1 ? `${layout.blocks} matrices of ` : ""}${rows} x ${cols} elements${type}. ` +
    `Each of ${threads ? threads[1] : layout.threads} threads holds ${plural(layout.elements, "element")}` +
    (registers ? ` in ${plural(registers, "register")}` : "") +
    (outer.length > 0 ? `, in each of ${outer.map(([name, size]) => plural(size, name)).join(" x ")}` : "") + "." +
    (layout.copies > 1 ? ` Each element is held ${layout.copies} times.` : "");
}

/* What cells and colors mean. */
function legendText(layout) {
  const names = layout.to.map(([name]) => name).join(",");
  const cells = state.view === "registers" ? `Each row is one thread. A cell shows the position (${names}) of an element in the matrix.`
    : state.view === "both" ? "By element, a cell shows the offset, in elements. By address, each row is 128 bytes of memory, and a cell shows " +
      "the position (row,col) of the element that is stored there."
    : state.view === "addresses" ? "Each row is 128 bytes of memory. A cell shows the position (row,col) of the element that is stored there."
    : layout.isPlane && layout.from.every(([name]) => name in SHORT)
      ? "T is the thread (tid), i is the index of the element in that thread, in the order of registers."
    : layout.isPlane ? `A cell shows ${layout.from.map(([name]) => name).join(", ")} of the element.`
    : layout.isMemory ? "A cell shows the offset of the element, in elements." : `A cell shows ${names}.`;
  const colors = {
    thread: `Cells of the same color belong to the same thread${layout.threads > COLORS ? `; colors repeat every ${COLORS} threads` : ""}.`,
    element: "Colors show i; elements of one register have shades of one color.",
    bank: layout.isMemory ? "Cells of the same color are in the same bank." : `Colors show ${layout.to[layout.to.length - 1][0]}.`,
    lane: `Cells of the same color are in the same lane; colors repeat every ${COLORS} lanes.`,
    column: `Cells of the same color are in the same column; colors repeat every ${COLORS} columns.`,
  };
  const factors = state.view === "product" ? " An element of D outlines the elements of A and B that it is made of." : "";
  return `${cells} ${colors[state.color]}${factors}`;
}

/* The notes on a report, without hints at options of the program, which do not work here, and without the size in memory
 * or Tensor Memory, which the header has. */
function notesOf(report) {
  return data.texts[report.notes].split("\n")
    .filter(line => !/^(in Tensor Memory|no GPU here|--|\d[\d x]* elements of )/.test(line))
    .map(line => line.replace(/[;:] --.*$/, ".")).filter(line => line);
}

function drawSentences() {
  const {report} = state, layout = layoutOf(report), notes = notesOf(report), doubt = "not confirmed on hardware";
  document.title = `mapping: ${titleOf(report)}`;
  const product = state.view === "product" ? productOf(report) : null;
  byId("title").textContent = product ? productTitle(product) : titleOf(report);
  byId("name-label").textContent = report.kind === "fragment" ? "Fragment" : "Layout";
  byId("facts").replaceChildren(factsText(report),
    ...(notes.includes(doubt) ? [make("b", {className: "warning"}, ` This layout is ${doubt}.`)] : []));
  byId("legend").textContent = legendText(layout);
  byId("notes").replaceChildren(...notes.filter(note => note !== doubt).map(note => make("li", {}, note)));
  const place = layout.grid.length > 1 ? "3,5" : "5", {found, example} = KINDS[layout.kind];
  byId("find").placeholder = [place, example].filter(text => text).join(", ");
  byId("usage").textContent = "Point at a cell to see its element. Click the cell to keep it selected; press Escape to release it. " +
    `Arrow keys move from cell to cell. Find takes a position, such as ${place}${found ? `, or ${found}, such as ${example}` : ""}. ` +
    "The URL contains the view and the selected cell; copy it to share them." +
    (data.forms ? " Point at an instruction of the listing to see its fragments, and click it to keep them." : "");
}

/* ---- Grids ---- */

/* Marks cells of both grids that say something else in the other one; returns how many do. */
function markDifferences(view) {
  const keyOf = ({layout}, n) => {
    const where = layout.where(n);
    return view === "registers" ? holderText(layout, n)
      : view === "addresses" ? layout.at[0][n] : `${where.part} ${where.row} ${where.col}`;
  };
  const both = grids.slice(0, 2);
  const texts = both.map(grid => new Map(grid.cells.map((cell, n) => [keyOf(grid, n), cell.textContent])));
  const counts = both.map((grid, side) => {
    const different = grid.cells.filter((cell, n) => texts[1 - side].get(keyOf(grid, n)) !== cell.textContent);
    different.forEach(cell => cell.classList.add("differs"));
    return different.length;
  });
  return Math.max(...counts);
}

/* How many columns fit beside each other with one line of text in each cell: of A and D together, and of each of two
 * grids that are compared. */
const PRODUCT_COLUMNS = 24, COMPARED_COLUMNS = 8;

/* The report of each grid. */
function reportsDrawn(report, other, view) {
  const product = view === "product" ? productOf(report) : null;
  return view === "both" ? [report, report] : product ? [report, ...product.filter(operand => operand !== report)] : other ? [report, other] : [report];
}

function drawGrids() {
  const {report, other, color} = state, product = state.view === "product" ? productOf(report) : null;
  const reports = reportsDrawn(report, other, state.view);
  const isBoth = state.view === "both", view = product || isBoth ? "matrix" : state.view, colsOf = each => isFolded(each) ? layoutOf(each).fold.size[layoutOf(each).colName] : layoutOf(each).cols;
  const {classList} = byId("work");
  classList.toggle("product", product !== null);
  classList.toggle("two", product !== null && product.length === 2);
  classList.toggle("several", reports.length > 1 && !isBoth);
  classList.toggle("stacked", product ? colsOf(product[0]) + colsOf(product[product.length - 1]) > PRODUCT_COLUMNS
    : other !== null && colsOf(report) > COMPARED_COLUMNS);
  byId("grids").classList.toggle("compared", other !== null);
  grids.forEach((grid, side) => {
    const drawn = reports[side], section = grid.container.parentElement, title = section.firstElementChild;
    section.hidden = !drawn;
    title.hidden = reports.length === 1;
    section.className = product && drawn ? letterOf(product, drawn) : "";
    if (!drawn) {
      grid.clear();
      return;
    }
    grid.draw(drawn, isBoth && side > 0 ? "addresses" : view, color, titleOf(drawn), isFolded(drawn));
    title.textContent = isBoth ? ["By element", "By address"][side] : product ? `${section.className.toUpperCase()}: ${drawn.key}` : archText(drawn.arch);
  });
  if (!other)
    return;
  const count = markDifferences(view);
  byId("grid2-title").textContent = `${archText(other.arch)}: ` + (count === 0 ? "no element differs"
    : `${count} of ${layoutOf(report).entries} elements differ (red corner)`);
}

/* True if only the first period of a report's matrix is drawn. */
const FOLDED_VIEWS = ["matrix", "product", "both"];
const isFolded = report => !state.isWhole && !state.other && FOLDED_VIEWS.includes(state.view) && layoutOf(report).fold !== null;

/* Describes the cells that are not drawn, and shows the button that draws them. */
function drawFold(product) {
  const reports = state.other || !FOLDED_VIEWS.includes(state.view) ? [] : product || [state.report], lines = new Map();
  for (const report of reports.filter(each => layoutOf(each).fold))
    for (const line of layoutOf(report).fold.lines)
      lines.set(line, [...(lines.get(line) || []), product ? letterOf(product, report).toUpperCase() : ""]);
  byId("fold").hidden = lines.size === 0;
  byId("fold").firstElementChild.textContent = state.isWhole ? "" :
    `Only the first period is drawn. ${Array.from(lines).map(([line, letters]) => `${product ? letters.join(", ") + ", " : ""}${line}`).join("; ")}.`;
  byId("whole").textContent = state.isWhole ? "Draw the first period only" : "Draw all cells";
}

/* True if a cell of the choice is drawn. */
function isDrawn({side, n, thread}) {
  const {cells, heads, layout} = grids[side];
  return n >= 0 ? cells[n] !== undefined : heads[thread] !== undefined || layout.entriesOf(thread).some(held => cells[held]);
}

/* Draws the whole state. Settings that are missing, or that the report does not have, get their defaults. */
function draw() {
  delete document.documentElement.dataset.ready;
  const {report} = state, layout = layoutOf(report), colors = colorsOf(report);
  if (!(state.view in viewsOf(report)))
    state.view = "matrix";
  if (["product", "both"].includes(state.view))
    state.other = null;
  if (!state.choice) {
    const n = Math.max(layout.entryAt(0, 0, 0), 0);
    state.choice = {side: 0, n, thread: layout.thread[n], isStart: true};
  }
  if (!(state.color in colors))
    state.color = data.color in colors ? data.color : Object.keys(colors)[0];
  fillControls();
  drawSentences();
  drawGrids();
  if (!isDrawn(state.choice) && !state.isWhole) {
    state.isWhole = true;
    drawGrids();
  }
  drawFold(state.view === "product" ? productOf(report) : null);
  drawChoice();
  document.documentElement.dataset.ready = "1";
}

/* ---- The choice ---- */

let marked = [];

function mark(cell, name) {
  if (cell) {
    cell.classList.add(name);
    marked.push([cell, name]);
    if (name === "fixed")
      cell.setAttribute("aria-selected", "true");
  }
}

function markThread(grid, thread) {
  grid.layout.entriesOf(thread).forEach(held => mark(grid.cells[held], "same-thread"));
  mark(grid.heads[thread], "same-thread");
}

/* Marks the cells of a grid that belong to an entry, or to a thread if n is -1. */
function markRelated(grid, {n, thread}) {
  const {layout, cells} = grid, markAll = (entries, name) => entries.forEach(other => mark(cells[other], name));
  if (layout.isPlane)
    markThread(grid, thread);
  if (layout.isPlane || layout.isPlaced) {
    markAll(n >= 0 ? layout.copiesOf(n) : [], "same-element");
  } else if (layout.isMemory) {
    for (const axis of ["row", "col"])
      markAll(layout.bankMates(n, axis), "same-bank");
    markAll(layout.wordMates(n), "same-word");
  }
}

/* The entry of the other grid at the same place or, in the view of registers, of the same holder; -1 if none. */
function counterpart({side, n}) {
  const here = grids[side].layout, there = grids[1 - side].layout;
  if (n < 0)
    return -1;
  if (state.view === "registers")
    return here.element[n] < there.elements && here.thread[n] < there.threads
      ? there.held[here.thread[n] * there.elements + here.element[n]] : -1;
  const where = here.where(n);
  return there.entryAt(where.part, where.row, where.col);
}

/* Marks the counterpart of the choice in the other of two grids. Returns its field of the panel. */
function drawCounterpart(choice) {
  const grid = grids[1 - choice.side], n = counterpart(choice), {layout, report} = grid;
  mark(grid.cells[n], "counterpart");
  if (layout.isPlane && choice.thread < layout.threads)
    layout.entriesOf(choice.thread).forEach(held => mark(grid.cells[held], "same-thread"));
  return [`On ${archText(report.arch)}`,
    n < 0 ? "" : state.view === "registers" ? placeText(layout, n) : entryText(layout, n)];
}

/* Marks the row of A and the column of B whose product is element n of D. For an element of A or B, marks the row or
 * column of D that uses it, and, unless A is sparse, the elements of the other operand that it is multiplied by. */
function markFactors(grid, product, n) {
  const {block, row, col} = grid.layout.where(n), own = letterOf(product, grid.report);
  const isMet = {
    ad: at => at.row === row, bd: at => at.col === col, da: at => at.row === row, db: at => at.col === col,
    ab: (at, other) => other.layout.rows === grid.layout.cols && at.row === col,
    ba: (at, other) => other.layout.cols === grid.layout.rows && at.col === row,
  };
  for (const other of grids) {
    const meets = other.layout && other !== grid ? isMet[own + letterOf(product, other.report)] : null;
    other.cells.forEach((cell, m) => {
      const at = meets ? other.layout.where(m) : null;
      if (at && at.block === block && meets(at, other))
        mark(cell, "factor");
    });
  }
}

/* Describes the elements of A and B that element n of D is computed from: their row, column and threads, and for each k
 * both elements. */
function madeText(product, n) {
  const of = letter => layoutOf(product[product.length === 3 ? "abd".indexOf(letter) : 0]);
  const {block, row, col} = layoutOf(product[product.length - 1]).where(n), a = of("a"), b = product.length === 3 ? of("b") : null;
  const inLine = (layout, axis, at) => Array.from({length: axis === "row" ? layout.cols : layout.rows}, (_, k) =>
    axis === "row" ? layout.entryAt(block, at, k) : layout.entryAt(block, k, at)).filter(m => m >= 0);
  const threads = (layout, entries) => threadsText(layout, entries.map(m => layout.thread[m]));
  const ofA = inLine(a, "row", row), ofB = b ? inLine(b, "col", col) : [];
  const text = `row ${row} of A, in ${threads(a, ofA)}; column ${col} of B, in ${b ? threads(b, ofB) : "shared memory"}`;
  if (!b || ofA.length !== ofB.length)
    return [make("span", {}, text)];
  const items = ofA.map((m, k) => makeItem(`k ${k}: A ${holderText(a, m)}, B ${holderText(b, ofB[k])}`));
  return [make("span", {}, text), make("details", {}, make("summary", {}, "for each k"), make("ul", {}, ...items))];
}

/* Marks the choice, and shows it in the panel and the formulae. */
function drawChoice() {
  for (const [cell, name] of marked) {
    cell.classList.remove(name);
    cell.removeAttribute("aria-selected");
  }
  marked = [];
  const {choice, isFixed} = state, product = state.view === "product" ? productOf(state.report) : null;
  const grid = grids[choice.side], cell = choice.n < 0 ? grid.heads[choice.thread] : grid.cells[choice.n];
  markRelated(grid, choice);
  for (const other of grids)
    if (product && other.layout && other !== grid && choice.thread < other.layout.threads)
      markThread(other, choice.thread);
  if (product && choice.n >= 0)
    markFactors(grid, product, choice.n);
  if (state.view === "both")
    mark(grids[1 - choice.side].cells[choice.n], "counterpart");
  mark(cell, "current");
  if (isFixed)
    mark(cell, "fixed");
  showInfo(grid.layout, choice, {
    other: state.other ? drawCounterpart(choice) : ["", ""],
    made: product && choice.n >= 0 && letterOf(product, grid.report) === "d" ? ["Made of", madeText(product, choice.n)] : ["", ""],
  });
  byId("info-title").textContent = (choice.isStart ? "Example element" : choice.n < 0 ? "Thread" : "Element") +
    (state.other ? ` on ${archText(grid.report.arch)}` : product ? ` of ${letterOf(product, grid.report).toUpperCase()}` : "") +
    (isFixed ? ", selected" : "");
  byId("info").classList.toggle("fixed", isFixed);
  byId("info").classList.toggle("start", choice.isStart === true);
  showFormulae(grid.layout, choice.n, product ? letterOf(product, grid.report).toUpperCase() : "");
}

function isSame(a, b) {
  return a.side === b.side && a.n === b.n && a.thread === b.thread && a.isStart === b.isStart;
}

function choose(choice, isFixed) {
  if (isSame(choice, state.choice) && isFixed === state.isFixed)
    return;
  Object.assign(state, {choice, isFixed});
  if (isDrawn(choice))
    drawChoice();
  else
    draw();
}

function speak() {
  const {choice} = state;
  byId("announce").textContent = spokenText(grids[choice.side].layout, choice) + (state.isFixed ? ", selected" : "");
}

/* Scrolls the cell of the choice, or the head of its row, into view, and moves the focus there if `hasFocus`. For a
 * thread without a head, scrolls to its first cell. */
function reveal(hasFocus) {
  const {side, n, thread} = state.choice, grid = grids[side];
  const cell = n >= 0 ? grid.cells[n] : grid.heads[thread] || grid.cells[grid.layout.entriesOf(thread)[0]];
  if (!cell)
    return;
  grid.moveStop(cell);
  cell.scrollIntoView({block: "nearest", inline: "nearest"});
  if (hasFocus && isSame(cell.choice, state.choice))
    cell.focus({preventScroll: true});
}

/* ---- Events ---- */

/* Changes what is shown. Keeps the chosen place or thread if the new layout has one like it. */
function change(changes) {
  const {choice, isFixed} = state, layout = layoutOf(state.report);
  const isKept = (choice.side === 0 || state.view === "both") && choice.n >= 0 && !choice.isStart && changes.isWhole !== false;
  const where = isKept ? layout.where(choice.n) : null;
  const isOther = changes.report && changes.report.key !== state.report.key;
  Object.assign(state, changes, {choice: null, isFixed: false});
  const now = layoutOf(state.report);
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
    reveal(false);
  writeAddress(true);
}

function changeName(name) {
  const {arch} = state.report, other = state.other && state.other.arch, reports = byName.get(name);
  const report = reports.find(found => found.arch === arch) || reports[0];
  change({report, other: reports.find(found => found.arch === other && found !== report) || null});
}

function listenToControls() {
  const changes = {
    fragment: changeName,
    arch: arch => change({report: findReport(state.report.key, arch)}),
    compare: arch => change({other: arch ? findReport(state.report.key, arch) : null}),
    view: view => change({view}),
    color: color => change({color}),
  };
  for (const [id, changed] of Object.entries(changes))
    byId(id).addEventListener("change", event => changed(event.target.value));
  byId("whole").addEventListener("click", () => change({isWhole: !state.isWhole}));
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

/* After keys were used, ignores the pointer until it moves: cells may only have scrolled below it. */
let wasKey = false, isPressed = false;

function point(cell, event) {
  if (!state.isFixed && !(wasKey && event.isTrusted))
    choose(cell.choice, false);
}

/* Scrolls the chosen element into view in the other grid, which draws it by address or by element. */
function revealOther() {
  const {side, n} = state.choice, other = state.view === "both" ? grids[1 - side] : null, cell = other ? other.cells[n] : null;
  if (!cell)
    return;
  const {container} = other;
  const {scrollLeft, scrollTop, clientWidth, clientHeight} = container, {offsetLeft, offsetTop, offsetWidth, offsetHeight} = cell;
  if (offsetLeft < scrollLeft + clientWidth / 8 || offsetLeft + offsetWidth > scrollLeft + clientWidth)
    container.scrollLeft = offsetLeft - clientWidth / 2;
  if (offsetTop < scrollTop + clientHeight / 8 || offsetTop + offsetHeight > scrollTop + clientHeight)
    container.scrollTop = offsetTop - clientHeight / 2;
}

function click(cell) {
  isPressed = false;
  grids[cell.choice.side].moveStop(cell);
  choose(cell.choice, !(state.isFixed && isSame(cell.choice, state.choice)));
  revealOther();
  say("");
  writeAddress(true);
  speak();
}

function focus(cell) {
  if (isPressed)
    return;
  grids[cell.choice.side].moveStop(cell);
  choose(cell.choice, state.isFixed);
  speak();
}

/* How many cells each key moves down and to the right. */
const STEPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-8, 0], PageDown: [8, 0],
};

let writing = 0;

function press(cell, event) {
  const grid = grids[cell.choice.side], {key} = event;
  if (event.altKey || !(key in STEPS || ["Home", "End", "Enter", " "].includes(key)))
    return;
  event.preventDefault();
  if (key === "Enter" || key === " ") {
    click(cell);
    return;
  }
  const next = key in STEPS ? grid.next(cell, ...STEPS[key]) : grid.end(cell, key === "End", event.ctrlKey || event.metaKey);
  wasKey = true;
  if (!next)
    return;
  next.focus({preventScroll: true});
  next.scrollIntoView({block: "nearest", inline: "nearest"});
  clearTimeout(writing);
  writing = setTimeout(() => writeAddress(false), 150);
}

/* The side whose next scroll event only follows from scrolling the other side, or -1. */
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

/* Calls a function for events at cells, and at the heads of rows of threads. */
function listenAtCells(type, react) {
  byId("grids").addEventListener(type, event => {
    const cell = event.target instanceof Element ? event.target.closest("td[data-part], th[data-thread]") : null;
    if (cell)
      react(cell, event);
  });
}

function listenToGrids() {
  const setPressed = value => () => {
    isPressed = value;
  };
  byId("grids").addEventListener("mousedown", setPressed(true));
  document.addEventListener("mouseup", setPressed(false));
  byId("grids").addEventListener("mousemove", () => {
    wasKey = false;
  });
  listenAtCells("mouseover", point);
  listenAtCells("mousemove", point);
  listenAtCells("click", click);
  listenAtCells("focusin", focus);
  listenAtCells("keydown", press);
  grids.forEach(({container}, side) => container.addEventListener("scroll", () => scrollOther(side)));
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !state.isFixed)
      return;
    choose(state.choice, false);
    writeAddress(true);
    speak();
  });
  window.addEventListener("hashchange", openAddress);
}

/* ---- The listing ---- */

/* The instruction that was clicked, which stays; or null. The form that is shown. */
let clicked = null, shownForm = "";

/* Shows the fragments of an instruction: all of its product if the page has them. The others are in the controls. */
function showInstruction(instruction) {
  const {form} = instruction.dataset;
  document.querySelectorAll("#listing .current").forEach(other => other.classList.remove("current"));
  instruction.classList.add("current");
  if (form === shownForm)
    return;
  shownForm = form;
  Object.assign(state, {report: data.reports[data.forms[form][0]], other: null, view: "product", choice: null, isFixed: false});
  say("");
  draw();
}

function listenToListing() {
  const listing = byId("listing");
  const listen = (type, react) => listing.addEventListener(type, event => {
    const instruction = event.target.closest("[data-form]");
    if (instruction)
      react(instruction, event);
  });
  const follow = instruction => {
    if (!clicked)
      showInstruction(instruction);
  };
  const keep = instruction => {
    clicked = instruction === clicked ? null : instruction;
    showInstruction(instruction);
    writeAddress(true);
  };
  listen("mouseover", follow);
  listen("focusin", follow);
  listen("click", keep);
  listen("keydown", (instruction, event) => {
    if (event.key === "Enter")
      keep(instruction);
  });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape")
      clicked = null;
  });
}

byId("footer").textContent = `Made by mapping ${data.version}. All indices start at 0.`;
listenToControls();
listenToGrids();
if (data.forms)
  listenToListing();
openAddress();
