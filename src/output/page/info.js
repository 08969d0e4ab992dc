/* The texts of the page: places, ranges and registers in words, the panel on the chosen entry or thread, and the
 * formulae with the numbers of the entry. */

/* ---- Words ---- */

const SHORT = {tid: "T", i: "i"}, WORDS = {tid: "thread", i: "element", col: "column"};

/* "T13", "i2"; for other axes "warp 1". */
function coordinateText([name], value) {
  return name in SHORT ? SHORT[name] + value : `${name} ${value}`;
}

function threadText(layout, thread) {
  const point = pointOf(layout.threadSpace, thread);
  return layout.threadSpace.map((axis, a) => coordinateText(axis, point[a])).join(" ");
}

/* "i2"; "" where threads hold one element each. */
function elementText(layout, element) {
  return layout.elementAxis < 0 ? "" : coordinateText(layout.from[layout.elementAxis], element);
}

function holderText(layout, n) {
  const thread = threadText(layout, layout.thread[n]);
  return layout.elementAxis < 0 ? thread : `${thread} ${elementText(layout, layout.element[n])}`;
}

/* "block 1, row 3, col 5": the block only where there are several. */
function placeText(layout, n) {
  const point = pointOf(layout.grid, layout.place[n]);
  return layout.grid.map(([name, size], a) =>
    a < layout.grid.length - 2 && size === 1 ? "" : `${name} ${point[a]}`)
    .filter(text => text).join(", ");
}

/* "(3,5)", "(b1 3,5)". */
function shortPlaceText(layout, n) {
  const point = pointOf(layout.grid, layout.place[n]), plane = point.slice(-2).join(",");
  const outer = layout.outer.map(([name, size], a) => size > 1 ? name[0] + point[a] + " " : "").join("");
  return `(${outer}${plane})`;
}

/* The holder of an entry if the target is a plane, "T13 i2"; else the target, "offset 72". */
function entryText(layout, n) {
  return layout.isPlane ? holderText(layout, n) : layout.to.map(([name], c) => `${name} ${layout.at[c][n]}`).join(", ");
}

/* "block 1 of 4", "copy 0 of 2, block 1 of 4"; "" if there is only one part. */
function partText(layout, part) {
  const titles = layout.copies > 1 ?
    [`${layout.copyAxis} ${Math.floor(part / layout.blocks)} of ${layout.copies}`] : [];
  const point = pointOf(layout.outer, part % layout.blocks);
  layout.outer.forEach(([name, size], a) => {
    if (size > 1)
      titles.push(name === "id" ? `${name} ${point[a]} (of 0 to ${size - 1})` : `${name} ${point[a]} of ${size}`);
  });
  return titles.join(", ");
}

const ascending = numbers => Array.from(new Set(numbers)).sort((a, b) => a - b);

/* "0-3, 8"; with a sign "T0-3, T8". */
function rangesText(all, sign) {
  const numbers = ascending(all), ranges = [];
  for (let first = 0, last; first < numbers.length; first = last + 1) {
    for (last = first; numbers[last + 1] === numbers[last] + 1;)
      last++;
    ranges.push(sign + numbers[first] + (last > first ? "-" + numbers[last] : ""));
  }
  return ranges.join(", ");
}

/* "T0-3, T8"; of several axes, those of each load, warp or the like together: "load 0: T0-127". */
function threadsText(layout, all) {
  const space = layout.threadSpace, inner = Math.max(space.findIndex(([name]) => name === "tid"), 0);
  if (space.length === 1)
    return rangesText(all, coordinateText(space[0], ""));
  const groups = new Map();
  for (const thread of ascending(all)) {
    const point = pointOf(space, thread);
    const label = space.map((axis, a) => a === inner ? "" : coordinateText(axis, point[a])).filter(text => text).join(" ");
    groups.set(label, [...(groups.get(label) || []), point[inner]]);
  }
  return Array.from(groups).map(([label, threads]) => `${label}: ${rangesText(threads, coordinateText(space[inner], ""))}`)
    .join("; ");
}

/* Which 32-bit register an element is in, and which bits of it. An element uses bits used[0] to used[1] of its slot. */
function registerText(element, {bits, used}) {
  const first = element * bits + used[0], last = element * bits + used[1];
  const low = Math.floor(first / WORD_BITS), high = Math.floor(last / WORD_BITS);
  if (high > low)
    return `registers ${low}-${high}`;
  const range = bits === 1 ? `bit ${first % WORD_BITS}` : `bits ${first % WORD_BITS}-${last % WORD_BITS}`;
  return `register ${low}, ${range}`;
}

/* Which bytes an element at an offset in memory takes, and if it is smaller than a byte, which bits. */
function bytesText(offset, bits) {
  const first = offset * bits, byte = Math.floor(first / 8), last = Math.floor((first + bits - 1) / 8);
  const bytes = last > byte ? `bytes ${byte}-${last}` : `byte ${byte}`;
  return bits < 8 ? `${bytes}, bit${bits > 1 ? "s" : ""} ${first % 8}${bits > 1 ? `-${(first + bits - 1) % 8}` : ""}` : bytes;
}

/* ---- The panel ---- */

const byId = id => document.getElementById(id);

/* An item of a list. */
function makeItem(text, isCurrent) {
  return make("li", isCurrent ? {className: "current"} : {}, text);
}

/* Entries as a list: "i0: row 1, col 2". */
function makeHeld(layout, entries, current) {
  return entries.map(n => {
    const {block, row, col} = layout.where(n);
    const label = layout.isPlane ? elementText(layout, layout.element[n]) : entryText(layout, n);
    const item = makeItem(`${label}: ${placeText(layout, n)}`, n === current);
    Object.assign(item.dataset, layout.isPlane ? {i: layout.element[n]} : {}, {row, col}, layout.blocks > 1 ? {block} : {});
    return item;
  });
}

/* The fields of the panel for a thread, and for an entry of each kind of layout: a label, and a text or the items of a
 * list. Empty fields are not shown. */
function threadFields(layout, thread) {
  const held = layout.entriesOf(thread), last = Math.floor((held.length * layout.bits - 1) / WORD_BITS);
  return {
    holder: ["Thread", threadText(layout, thread)],
    register: ["Its registers", !layout.bits ? "" : last > 0 ? `registers 0-${last}` : "register 0"],
    holds: [`Elements of ${threadText(layout, thread)}`, makeHeld(layout, held, -1)],
  };
}

const FIELDS_OF = {
  plane(layout, n) {
    const {row, col} = layout.where(n), thread = layout.thread[n], copies = layout.copies > 1 ? layout.copiesOf(n) : [];
    const sharers = axis => threadsText(layout, layout.lineOf(n, axis).map(other => layout.thread[other]));
    return {
      holder: ["Held by", holderText(layout, n)],
      register: ["Stored in", layout.bits ? registerText(layout.element[n], layout) : ""],
      copies: ["All copies", copies.map(copy => makeItem(holderText(layout, copy), copy === n))],
      row: [`Threads that hold ${layout.rowName} ${row}`, sharers("row")],
      col: [`Threads that hold ${WORDS[layout.colName] || layout.colName} ${col}`, sharers("col")],
      holds: [`Elements of ${threadText(layout, thread)}`, makeHeld(layout, layout.entriesOf(thread), n)],
    };
  },
  memory(layout, n) {
    const {row, col} = layout.where(n);
    const mates = (axis, other) => {
      const numbers = layout.bankMates(n, axis).map(mate => layout.where(mate)[other]);
      return numbers.length > 0 ? `${other} ${rangesText(numbers, "")}` : "none";
    };
    return {
      holder: ["Offset", entryText(layout, n)],
      register: ["Address", `${bytesText(layout.at[0][n], layout.bits)}, bank ${layout.bankOf(n)}`],
      row: [`Same bank in row ${row}`, mates("row", "col")],
      col: [`Same bank in column ${col}`, mates("col", "row")],
      holds: ["Elements in the same 4 bytes", makeHeld(layout, layout.wordMates(n), n)],
    };
  },
  placed(layout, n) {
    const WARP = 32, {row, col} = layout.where(n), places = layout.parts > 1 ? layout.copiesOf(n) : [];
    const spread = (along, axis) =>
      `${axis} ${rangesText(layout.lineOf(n, along).map(other => layout.coordinate(axis, other)), "")}`;
    return {
      holder: ["Located in", entryText(layout, n)],
      register: ["Accessed by", `warp ${Math.floor(layout.coordinate("lane", n) / WARP)} of a warpgroup, with tcgen05.ld`],
      copies: ["All positions", places.map(place =>
        makeItem(`${placeText(layout, place)}: ${entryText(layout, place)}`, place === n))],
      row: [`Row ${row} is in`, spread("row", "lane")],
      col: [`Column ${col} is in`, spread("col", "column")],
      holds: ["Elements in the same 32 bits", makeHeld(layout, layout.wordMates(n), n)],
    };
  },
  values: (layout, n) => ({holder: ["Value", entryText(layout, n)]}),
};

/* Fills the panel for a choice: an entry n, or a thread where n is -1; `more` are further fields. */
function showInfo(layout, {n, thread}, more) {
  const fields = {
    ...(n < 0 ? threadFields(layout, thread) : {place: ["Position", placeText(layout, n)], ...FIELDS_OF[layout.kind](layout, n)}),
    ...more,
  };
  for (const name of ["place", "holder", "register", "copies", "row", "col", "other", "made", "holds"]) {
    const [label, value] = fields[name] || ["", ""];
    const element = byId(`info-${name}`), row = element.closest("dl > div");
    row.hidden = value.length === 0;
    row.firstElementChild.textContent = label;
    element.replaceChildren(...[value].flat());
  }
}

/* The choice in words, for screen readers. */
function spokenText(layout, {n, thread}) {
  if (n < 0)
    return `${threadText(layout, thread)} holds ${layout.entriesOf(thread).length} elements`;
  return [placeText(layout, n), entryText(layout, n), byId("info-register").textContent].filter(text => text).join(": ");
}

/* ---- Formulae ---- */

/* A formula with numbers instead of names. */
function substitute(formula, values) {
  return formula.replace(/[A-Za-z_][A-Za-z_0-9]*/g, name =>
    Object.prototype.hasOwnProperty.call(values, name) ? values[name] : name);
}

/* A line for one axis: its formula and, for a chosen entry, below it the formula with numbers and its value. */
function makeFormula(name, formula, values, result) {
  const below = make("span", {className: "substituted"}), text = make("div", {className: "formula"}, make("b", {}, name));
  text.dataset.axis = name;
  if (formula)
    text.append(` = ${formula[0]}`);
  if (values && formula)
    below.append(` = ${substitute(formula[0], values)}`);
  if (values)
    below.append(make("span", {className: "value"}, ` = ${result}`));
  text.append(below);
  const remark = formula ? formula[1] : "No formula: the value is not a sum or XOR of masked and shifted coordinates.";
  return make("div", {className: "line"}, text, ...(remark ? [make("span", {className: "remark"}, remark)] : []));
}

/* Shows the formulae of a layout, with the numbers of entry n unless it is -1. `letter` is the operand if there are
 * several, else "". */
function showFormulae(layout, n, letter) {
  const numbers = (space, point) => Object.fromEntries(space.map(([name], a) => [name, point[a]]));
  const source = n < 0 ? [] : pointOf(layout.from, n), target = n < 0 ? [] : layout.target(n);
  const there = n < 0 ? null : numbers(layout.from, source);
  const back = n < 0 ? null : {...numbers(layout.to, target), [layout.copyAxis]: layout.copyOf(n)};
  byId("formulae").replaceChildren(make("h2", {}, letter ? `Formulae of ${letter}` : "Formulae"),
    ...layout.to.map(([name], c) => makeFormula(name, layout.formulae[c], there, target[c])),
    ...(layout.inverse.length > 0 ? [make("h2", {}, "Inverse")] : []),
    ...layout.inverse.map((formula, a) => makeFormula(layout.from[a][0], formula, back, source[a])));
}
