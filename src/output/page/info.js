/* What is said of what was chosen, and the formulae with its numbers put in. */

const byId = id => document.getElementById(id);

function setText(id, text) {
  byId(id).textContent = text;
  byId(id).closest("dl > div").hidden = text === "";
}

function setList(id, items) {
  byId(id).replaceChildren(...items);
  byId(id).closest("dl > div").hidden = items.length === 0;
}

function setLabels(shown, choice) {
  const {layout, report} = shown, isMemory = report.kind === "memory", where = layout.where(Math.max(choice.n, 0));
  const labels = layout.isPlane ? {
    holder: choice.n < 0 ? "Thread" : "Held by", register: choice.n < 0 ? "Its registers" : "Stored in",
    copies: "All copies", row: `Threads that hold ${rowName(layout)} ${where.row}`,
    col: `Threads that hold ${WORDS[colName(layout)] || colName(layout)} ${where.col}`, holds: `Elements of ${threadText(layout, choice.thread)}`,
  } : isMemory ? {
    holder: "Offset", register: "Address", row: `Same bank in row ${where.row}`, col: `Same bank in column ${where.col}`,
    holds: "Elements in the same 4 bytes",
  } : {
    holder: layout.isPlaced ? "Located in" : "Value", register: "Accessed by", copies: "All positions",
    row: `Row ${where.row} is in`, col: `Column ${where.col} is in`, holds: "Elements in the same 32 bits",
  };
  for (const [name, text] of Object.entries(labels))
    byId(`${name}-label`).textContent = text;
}

/* An element in a list: "i0: row 1, col 2". */
function makeHeld(layout, n, label, isCurrent) {
  const where = layout.where(n), item = make("li", isCurrent ? "current" : "", `${label}: ${placeText(layout, n)}`);
  if (layout.isPlane)
    item.setAttribute("data-i", layout.element[n]);
  item.setAttribute("data-row", where.row);
  item.setAttribute("data-col", where.col);
  if (layout.blocks > 1)
    item.setAttribute("data-block", where.block);
  return item;
}

/* ---- What threads hold ---- */

function showThread(layout, bits, thread, current) {
  const held = layout.entriesOf(thread);
  if (current < 0) {
    setText("info-place", "");
    setText("info-holder", threadText(layout, thread));
    const last = Math.floor((held.length * bits - 1) / WORD_BITS);
    setText("info-register", !bits ? "" : last > 0 ? `registers 0-${last}` : "register 0");
    setText("info-row", "");
    setText("info-col", "");
    setList("info-copies", []);
  }
  setList("info-holds", held.map(n => makeHeld(layout, n, elementText(layout, layout.element[n]), n === current)));
}

function showElement(layout, bits, n) {
  const where = layout.where(n);
  setText("info-place", placeText(layout, n));
  setText("info-holder", holderText(layout, n));
  setText("info-register", bits ? registerText(layout.element[n], bits) : "");
  setList("info-copies", layout.copiesOf(n).map(copy => make("li", copy === n ? "current" : "", holderText(layout, copy))));
  byId("info-copies").closest("dl > div").hidden = layout.copies === 1;
  setText("info-row", threadsText(layout, layout.threadsAlong("row", where.block, where.row)));
  setText("info-col", threadsText(layout, layout.threadsAlong("col", where.block, where.col)));
  showThread(layout, bits, layout.thread[n], n);
}

/* ---- What lies in memory ---- */

function bytesText(offset, bits) {
  const first = offset * bits, byte = Math.floor(first / 8), last = Math.floor((first + bits - 1) / 8);
  const bytes = last > byte ? `bytes ${byte}-${last}` : `byte ${byte}`;
  return bits < 8 ? `${bytes}, bit${bits > 1 ? "s" : ""} ${first % 8}${bits > 1 ? `-${(first + bits - 1) % 8}` : ""}` : bytes;
}

/* The entries of the same row, or column, that are in the same bank but in another word. */
function bankMates(layout, bits, n, axis) {
  const where = layout.where(n), offset = layout.at[0][n], mates = [];
  const count = axis === "row" ? layout.cols : layout.rows;
  for (let k = 0; k < count; k++) {
    const other = axis === "row" ? layout.entryAt(where.part, where.row, k) : layout.entryAt(where.part, k, where.col);
    if (other >= 0 && bankOf(layout.at[0][other], bits) === bankOf(offset, bits) &&
        wordOf(layout.at[0][other], bits) !== wordOf(offset, bits))
      mates.push(other);
  }
  return mates;
}

function wordMates(layout, bits, n) {
  const word = wordOf(layout.at[0][n], bits), mates = [];
  for (let other = 0; other < layout.entries && bits < WORD_BITS; other++)
    if (wordOf(layout.at[0][other], bits) === word)
      mates.push(other);
  return mates.sort((a, b) => layout.at[0][a] - layout.at[0][b]);
}

function showMemory(layout, bits, n) {
  const offset = layout.at[0][n];
  const inRow = bankMates(layout, bits, n, "row").map(mate => layout.where(mate).col);
  const inCol = bankMates(layout, bits, n, "col").map(mate => layout.where(mate).row);
  setText("info-place", placeText(layout, n));
  setText("info-holder", valueText(layout, n));
  setText("info-register", `${bytesText(offset, bits)}, bank ${bankOf(offset, bits)}`);
  setText("info-row", inRow.length ? "col " + rangesText(inRow, "") : "none");
  setText("info-col", inCol.length ? "row " + rangesText(inCol, "") : "none");
  setList("info-copies", []);
  setList("info-holds", wordMates(layout, bits, n)
    .map(mate => makeHeld(layout, mate, valueText(layout, mate), mate === n)));
}

/* ---- What lies in Tensor Memory ---- */

/* The lanes, or columns, of all elements of a row or column of the grid: "lane 0-127". */
function spreadText(layout, n, along, axis) {
  const where = layout.where(n), found = new Set();
  const count = along === "row" ? layout.cols : layout.rows;
  for (let k = 0; k < count; k++)
    found.add(layout.along(axis, along === "row" ? layout.entryAt(where.part, where.row, k)
      : layout.entryAt(where.part, k, where.col)));
  return `${axis} ${rangesText(Array.from(found).sort((a, b) => a - b), "")}`;
}

/* The other places of the same element. */
function placesOf(layout, n) {
  const here = layout.where(n);
  return Array.from({length: layout.parts}, (_, part) => layout.entryAt(part, here.row, here.col));
}

function showPlaced(layout, n) {
  const lane = layout.along("lane", n), WARP = 32, all = placesOf(layout, n), inColumn = [];
  const cell = m => layout.to.map(([name], c) => name === "bit" ? 0 : layout.at[c][m]).join();
  for (let m = 0; m < layout.entries; m++)
    if (cell(m) === cell(n))
      inColumn.push(m);
  inColumn.sort((a, b) => layout.at[layout.at.length - 1][a] - layout.at[layout.at.length - 1][b]);
  setText("info-place", placeText(layout, n));
  setText("info-holder", valueText(layout, n));
  setText("info-register", `warp ${Math.floor(lane / WARP)} of a warpgroup, with tcgen05.ld`);
  setText("info-row", spreadText(layout, n, "row", "lane"));
  setText("info-col", spreadText(layout, n, "col", "column"));
  setList("info-copies", all.length > 1 ? all.map(other =>
    make("li", other === n ? "current" : "", `${placeText(layout, other)}: ${valueText(layout, other)}`)) : []);
  setList("info-holds", inColumn.map(m => makeHeld(layout, m, valueText(layout, m), m === n)));
}

function showValue(layout, n) {
  for (const id of ["info-register", "info-row", "info-col"])
    setText(id, "");
  setText("info-place", placeText(layout, n));
  setText("info-holder", valueText(layout, n));
  setList("info-copies", []);
  setList("info-holds", []);
}

/* ---- All of it ---- */

/* Says what is known of a choice: an entry n, or a thread where n is -1. */
function showInfo(shown, choice, isFixed) {
  const {layout, report} = shown;
  setLabels(shown, choice);
  byId("info").classList.toggle("fixed", isFixed);
  if (choice.n < 0)
    showThread(layout, report.bits || 0, choice.thread, -1);
  else if (layout.isPlane)
    showElement(layout, report.bits || 0, choice.n);
  else if (report.kind === "memory")
    showMemory(layout, report.bits, choice.n);
  else if (layout.isPlaced)
    showPlaced(layout, choice.n);
  else
    showValue(layout, choice.n);
}

/* What is announced to those who do not see it. */
function spokenText(shown, choice) {
  const {layout} = shown;
  if (choice.n < 0)
    return `${threadText(layout, choice.thread)} holds ${layout.entriesOf(choice.thread).length} elements`;
  const texts = [placeText(layout, choice.n), layout.isPlane ? holderText(layout, choice.n) : valueText(layout, choice.n)];
  return texts.concat(byId("info-register").textContent).filter(text => text).join(": ");
}

/* ---- Formulae ---- */

/* A line for one axis: its formula, and below it of a choice the formula with numbers and its value. */
function makeFormula(name, formula, values, result) {
  const line = make("div", "line"), text = make("div", "formula"), below = make("span", "substituted");
  text.setAttribute("data-axis", name);
  text.append(make("b", "", name));
  if (formula)
    text.append(` = ${formula[0]}`);
  if (values && formula)
    below.append(` = ${substitute(formula[0], values)}`);
  if (values)
    below.append(make("span", "value", ` = ${result}`));
  text.append(below);
  line.append(text);
  if (!formula)
    line.append(make("span", "remark", "No formula: the value is not a sum or XOR of masked and shifted coordinates."));
  else if (formula[1])
    line.append(make("span", "remark", formula[1]));
  return line;
}

/* Shows the formulae of a layout, with the numbers of an entry unless n is -1. */
function showFormulae(layout, n) {
  const values = (space, point) => Object.fromEntries(space.map(([name], a) => [name, point[a]]));
  const source = n < 0 ? null : layout.source(n), target = n < 0 ? null : layout.target(n);
  const there = source && values(layout.from, source);
  const back = target && {...values(layout.to, target), [layout.copyAxis]: layout.copyOf(n)};
  const lines = layout.to.map(([name], c) => makeFormula(name, layout.formulae[c], there, target && target[c]));
  const inverse = layout.from.map(([name], a) => makeFormula(name, layout.inverse[a], back, source && source[a]));
  const parts = [make("h2", "", "Formulae"), ...lines];
  if (layout.inverse.length > 0)
    parts.push(make("h2", "", "Inverse"), ...inverse);
  byId("formulae").replaceChildren(...parts);
}
