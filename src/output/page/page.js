/* The page: what the file has, what is shown of it, the controls, and the drawing. */

const data = JSON.parse(byId("data").textContent);
const layouts = new Map(); /* those that were shown, by number */
const grids = [new Grid(byId("grid")), new Grid(byId("grid2"))];

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

/* What is shown, and what is chosen: an entry of the first or second grid, or, where n is -1, a
 * thread. Once it is fixed, pointing elsewhere leaves it. */
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
    const group = byName.size > 12 ? groupOf(name) : "";
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
  byId("compare").disabled = others.length === 0;
}

/* The views and colors that there are of a report, with what they are called. */
function viewsOf(shown) {
  const matrix = {matrix: "matrix"};
  return shown.layout.isPlane ? {...matrix, registers: "registers"}
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
  byId("filter-label").hidden = byName.size <= 12;
}

/* ---- Drawing ---- */

/* How many threads hold something, and what they do so in each of: ["128", ", in each of 4 loads"]. */
function holdersText(layout) {
  const isThread = ([name]) => name === "tid", threads = layout.threadSpace.find(isThread);
  const outer = threads ? layout.threadSpace.filter(axis => !isThread(axis)) : [];
  return [threads ? threads[1] : layout.threads,
    outer.length > 0 ? `, in each of ${outer.map(([name, size]) => `${size} ${name}s`).join(" x ")}` : ""];
}

function factsText(shown) {
  const {report, layout} = shown, sizes = layout.grid.map(([, size]) => size);
  if (layout.isPlaced)
    return `${layout.rows} x ${layout.cols}, ${report.type}; in Tensor Memory, ` +
      layout.to.filter(([name]) => ["cta", "lane", "column"].includes(name))
        .map(([name, size]) => `${size} ${name}${size > 1 ? "s" : ""}`).join(", ") +
      (layout.parts > 1 ? `; ${layout.parts} places of each element` : "") +
      `; cells say ${layout.to.map(([name]) => name).join(",")}`;
  if (!layout.isPlane)
    return `${sizes.join(" x ")}${report.type ? ` elements of ${report.type}, ${report.bytes} bytes` : " entries"}`;
  const [rows, cols] = sizes.slice(-2), holds = `${layout.elements} element${layout.elements > 1 ? "s" : ""}`;
  const registers = report.bits ? Math.ceil(layout.elements * report.bits / WORD_BITS) : 0;
  const [threads, series] = holdersText(layout);
  return `${layout.blocks > 1 ? `${layout.blocks} matrices of ` : ""}${rows} x ${cols}${report.type ? `, ${report.type}` : ""}; ` +
    `${threads} threads hold ${holds} each${registers ? ` in ${registers} register${registers > 1 ? "s" : ""}` : ""}${series}` +
    (layout.copies > 1 ? `; ${layout.copies} copies` : "");
}

function drawHeader(shown) {
  const {report} = shown, title = report.key + (report.arch ? ` on ${archText(report.arch)}` : "");
  document.title = `mapping: ${title}`;
  byId("name-label").textContent = report.kind === "fragment" ? "Fragment" : "Layout";
  byId("title").textContent = title;
  byId("facts").textContent = factsText(shown);
  const notes = data.texts[report.notes].split("\n")
    .filter(line => line && !line.startsWith("in Tensor Memory"));
  byId("notes").replaceChildren(...notes.map(note => make("li", /not confirmed/.test(note) ? "warning" : "", note)));
  const example = shown.layout.grid.length > 1 ? "3,5" : "5";
  const holder = shown.layout.isPlane ? "T13 i2 or T13" : report.kind === "memory" ? "offset 72"
    : shown.layout.isPlaced ? "lane 3 column 5" : "";
  byId("find").placeholder = [example, holder].filter(text => text).join(", ");
  byId("usage").textContent = "Point at a cell or tap it; click to fix it, Escape to let go; arrow keys walk. " +
    `Find takes a place, ${example}${holder ? `, or ${shown.layout.isPlaced ? "where it lies" : "a holder"}, ${holder}` : ""}. The address keeps what is shown.`;
}

/* Marks cells of both grids that say something else in the other one; returns how many do. */
function markDifferences(view) {
  const keyOf = (grid, n) => {
    const {layout} = grid, where = layout.where(n);
    return view === "registers" ? holderText(layout, n)
      : view === "addresses" ? layout.at[0][n] : `${where.part} ${where.row} ${where.col}`;
  };
  const texts = grids.map(grid => new Map(grid.cells.map((cell, n) => [keyOf(grid, n), cell.textContent])));
  const counts = grids.map((grid, side) => {
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

function drawGrids(shown) {
  const {other, view, color} = state;
  grids[0].draw(shown, view, color, byId("title").textContent);
  byId("second").hidden = byId("grid-title").hidden = !other;
  byId("grids").classList.toggle("compared", other !== null);
  if (!other) {
    byId("grid2").replaceChildren();
    return;
  }
  grids[1].draw(show(other), view, color, `${other.key} on ${archText(other.arch)}`);
  const count = markDifferences(view), all = shown.layout.entries;
  byId("grid-title").textContent = archText(state.report.arch);
  byId("grid2-title").textContent = `${archText(other.arch)}: ` +
    (count === 0 ? "the same" : `${count} of ${all} elements differ, which are marked`);
}

function draw() {
  delete document.documentElement.dataset.ready;
  const shown = show(state.report);
  if (!(state.view in viewsOf(shown)))
    state.view = "matrix";
  if (!(state.color in colorsOf(shown)))
    state.color = data.color in colorsOf(shown) ? data.color : Object.keys(colorsOf(shown))[0];
  fillControls(shown);
  drawHeader(shown);
  drawGrids(shown);
  drawChoice();
  document.documentElement.dataset.ready = "1";
}
