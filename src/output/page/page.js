/* The page: what the file has, what is shown of it, the controls, and the drawing. */

const data = JSON.parse(byId("data").textContent);
const layouts = new Map(); /* those that were shown, by number */
const grids = ["grid", "grid2", "grid3"].map(id => new Grid(byId(id)));

/* Reports by name, in the order of the file. What two have in common is told apart. */
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

/* Pages of more names than this open with what the program shows if it is asked for nothing. */
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

/* What is shown, and what is chosen: an entry of one of the grids, or, where n is -1, a thread. Once it is fixed,
 * pointing elsewhere leaves it. */
const state = {report: null, other: null, view: "matrix", color: "", choice: null, isFixed: false};

function show(report) {
  if (!layouts.has(report.layout))
    layouts.set(report.layout, new Layout(data.layouts[report.layout]));
  return {report, layout: layouts.get(report.layout)};
}

const archText = arch => arch ? `sm_${arch}` : "";

function say(sentence) {
  byId("message").textContent = sentence;
}

/* ---- Controls ---- */

function makeOption(value, text, isSelected) {
  const option = make("option", "", text);
  option.value = value;
  option.selected = isSelected;
  return option;
}

/* The instruction and its shape, by which names are grouped. */
function groupOf(name) {
  const match = /^(.*?\.m\d+(n\d+)?(k\d+)?)\./.exec(name) || /^(tcgen05\.\w+\.\d+x\w+)\./.exec(name);
  return match ? match[1] : "";
}

function fillNames() {
  const words = byId("filter").value.toLowerCase().split(/[\s*]+/).filter(word => word);
  const groups = new Map();
  for (const name of byName.keys()) {
    if (name !== state.report.key && !words.every(word => name.toLowerCase().includes(word)))
      continue;
    const group = byName.size > NAMES_FEW ? groupOf(name) : "";
    if (!groups.has(group))
      groups.set(group, []);
    groups.get(group).push(makeOption(name, name, name === state.report.key));
  }
  const children = [];
  for (const [group, options] of groups) {
    if (!group) {
      children.push(...options);
      continue;
    }
    const element = make("optgroup");
    element.label = group;
    element.append(...options);
    children.push(element);
  }
  byId("fragment").replaceChildren(...children);
}

function fillArchs() {
  const reports = byName.get(state.report.key), own = state.report;
  byId("arch").replaceChildren(...reports.map(report =>
    makeOption(archText(report.arch), archText(report.arch) || "any", report === own)));
  const others = reports.filter(report => report !== own).map(report => makeOption(archText(report.arch),
    `${archText(report.arch)}: ${report.layout === own.layout ? "the same" : "differs"}`, report === state.other));
  byId("compare").replaceChildren(makeOption("", "none", !state.other), ...others);
  byId("compare").disabled = others.length === 0 || state.view === "product";
}

/* The views and colors that there are of a report, with what they are called. */
function viewsOf(shown) {
  const matrix = {matrix: "matrix"};
  const product = productOf(shown.report);
  return shown.layout.isPlane ? {
    ...matrix, registers: "registers", ...(product ? {product: product.length === 3 ? "A, B and D" : "A and D"} : {}),
  }
    : shown.report.kind === "memory" ? {...matrix, addresses: "addresses"} : matrix;
}
function colorsOf(shown) {
  return shown.layout.isPlane ? {thread: "thread", element: "element"}
    : shown.layout.isPlaced ? {lane: "lane", column: "column"}
    : {bank: shown.report.kind === "memory" ? "bank" : "value"};
}

function fillChoices(id, choices, value) {
  byId(id).replaceChildren(...Object.entries(choices).map(([name, text]) => makeOption(name, text, name === value)));
}

function fillControls(shown) {
  fillNames();
  fillArchs();
  fillChoices("view", viewsOf(shown), state.view);
  fillChoices("color", colorsOf(shown), state.color);
  byId("filter-label").hidden = byName.size <= NAMES_FEW;
}

/* ---- Drawing ---- */

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/* Where the elements are: sentences. */
function factsText(shown) {
  const {report, layout} = shown, sizes = layout.grid.map(([, size]) => size), [rows, cols] = sizes.slice(-2);
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
  const registers = report.bits ? Math.ceil(layout.elements * report.bits / WORD_BITS) : 0;
  return `${layout.blocks > 1 ? `${layout.blocks} matrices of ` : ""}${rows} x ${cols} elements${type}. ` +
    `Each of ${threads ? threads[1] : layout.threads} threads holds ${plural(layout.elements, "element")}` +
    (registers ? ` in ${plural(registers, "register")}` : "") +
    (outer.length > 0 ? `, in each of ${outer.map(([name, size]) => plural(size, name)).join(" x ")}` : "") + "." +
    (layout.copies > 1 ? ` Each element is held ${layout.copies} times.` : "");
}

/* What cells and colors mean: sentences. */
function legendText(shown) {
  const {report, layout} = shown, isMemory = report.kind === "memory", names = layout.to.map(([name]) => name).join(",");
  const cells = state.view === "registers" ? `Each row is one thread. A cell shows the position (${names}) of an element in the matrix.`
    : state.view === "addresses" ? "Each row is 128 bytes of memory. A cell shows the position (row,col) of the element that is stored there."
    : layout.isPlane && layout.from.every(([name]) => name in SHORT)
      ? "T is the thread (tid), i is the index of the element in that thread, in the order of registers."
    : layout.isPlane ? `A cell shows ${layout.from.map(([name]) => name).join(", ")} of the element.`
    : isMemory ? "A cell shows the offset of the element, in elements." : `A cell shows ${names}.`;
  const colors = {
    thread: `Cells of the same color belong to the same thread${layout.threads > COLORS ? `; colors repeat every ${COLORS} threads` : ""}.`,
    element: "Colors show i; elements of one register have shades of one color.",
    bank: isMemory ? "Cells of the same color are in the same bank." : `Colors show ${layout.to[layout.to.length - 1][0]}.`,
    lane: `Cells of the same color are in the same lane; colors repeat every ${COLORS} lanes.`,
    column: `Cells of the same color are in the same column; colors repeat every ${COLORS} columns.`,
  };
  return `${cells} ${colors[state.color]}`;
}

function drawHeader(shown) {
  const {report} = shown, title = report.key + (report.arch ? ` on ${archText(report.arch)}` : "");
  document.title = `mapping: ${title}`;
  byId("name-label").textContent = report.kind === "fragment" ? "Fragment" : "Layout";
  byId("title").textContent = title;
  const notes = notesOf(report), isDoubtful = notes.includes("not confirmed on hardware");
  byId("facts").replaceChildren(factsText(shown), ...(isDoubtful ? [make("b", "warning", " This layout is not confirmed on hardware.")] : []));
  byId("legend").textContent = legendText(shown);
  byId("notes").replaceChildren(...notes.filter(note => note !== "not confirmed on hardware").map(note => make("li", "", note)));
  const place = shown.layout.grid.length > 1 ? "3,5" : "5";
  const holder = shown.layout.isPlane ? "T13 i2 or T13" : report.kind === "memory" ? "offset 72"
    : shown.layout.isPlaced ? "lane 3 column 5" : "";
  byId("find").placeholder = [place, holder].filter(text => text).join(", ");
  byId("usage").textContent = "Point at a cell to see its element. Click the cell to keep it selected; press Escape to release it. " +
    `Arrow keys move from cell to cell. Find takes a position, such as ${place}${holder ? `, or ${shown.layout.isPlane ? "a thread"
      : shown.layout.isPlaced ? "a lane and column" : "an offset"}, such as ${holder}` : ""}. ` +
    "The URL contains the view and the selected cell; copy it to share them.";
}

/* What is known of a report beside its layout. Options of the program are of no use here, and the header says what
 * Tensor Memory is taken. */
function notesOf(report) {
  return data.texts[report.notes].split("\n")
    .filter(line => !/^(in Tensor Memory|no GPU here|--)/.test(line))
    .map(line => line.replace(/[;:] --.*$/, ".")).filter(line => line);
}

/* Marks cells of both grids that say something else in the other one; returns how many do. */
function markDifferences(view) {
  const keyOf = (grid, n) => {
    const {layout} = grid, where = layout.where(n);
    return view === "registers" ? holderText(layout, n)
      : view === "addresses" ? layout.at[0][n] : `${where.part} ${where.row} ${where.col}`;
  };
  const both = grids.slice(0, 2);
  const texts = both.map(grid => new Map(grid.cells.map((cell, n) => [keyOf(grid, n), cell.textContent])));
  const counts = both.map((grid, side) => {
    let count = 0;
    grid.cells.forEach((cell, n) => {
      const differs = texts[1 - side].get(keyOf(grid, n)) !== cell.textContent;
      cell.classList.toggle("differs", differs);
      count += differs;
    });
    return count;
  });
  return Math.max(...counts);
}

/* So many columns of A and D together, and of each of two grids, have room with one line of text in each cell. */
const PRODUCT_COLUMNS = 24, COMPARED_COLUMNS = 8;

function drawGrids(shown) {
  const {report, other, color} = state, product = state.view === "product" ? productOf(report) : null;
  const reports = product ? [report, ...product.filter(operand => operand !== report)] : other ? [report, other] : [report];
  const view = product ? "matrix" : state.view;
  byId("work").classList.toggle("product", product !== null);
  byId("work").classList.toggle("several", reports.length > 1);
  byId("work").classList.toggle("stacked", product ? PRODUCT_COLUMNS <
    show(product[0]).layout.cols + show(product[product.length - 1]).layout.cols : other !== null && shown.layout.cols > COMPARED_COLUMNS);
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
    const name = drawn.key + (drawn.arch ? ` on ${archText(drawn.arch)}` : "");
    grid.draw(side === 0 ? shown : show(drawn), view, color, name);
    title.textContent = product ? `${section.className.toUpperCase()}: ${drawn.key}` : archText(drawn.arch);
  });
  if (!other)
    return;
  const count = markDifferences(view), all = shown.layout.entries;
  byId("grid2-title").textContent = `${archText(other.arch)}: ` +
    (count === 0 ? "no element differs" : `${count} of ${all} elements differ (red corner)`);
}

function draw() {
  delete document.documentElement.dataset.ready;
  const shown = show(state.report);
  if (!(state.view in viewsOf(shown)))
    state.view = "matrix";
  if (state.view === "product")
    state.other = null;
  if (!state.choice)
    state.choice = firstChoice(shown.layout);
  if (!(state.color in colorsOf(shown)))
    state.color = data.color in colorsOf(shown) ? data.color : Object.keys(colorsOf(shown))[0];
  fillControls(shown);
  drawHeader(shown);
  drawGrids(shown);
  drawChoice();
  document.documentElement.dataset.ready = "1";
}
