/* Find parses a place, "3,5", or a thread and its element, "T13 i2". The address is the part of the URL that stores the
 * shown layout and the chosen element: "#fragment=wmma.m16n16k16.d.f32&arch=sm_80&view=matrix&at=3,5". */

/* Makes the choice of entry n of the first grid, or of another one. */
const entryChoice = (layout, n, side = 0) => ({side, n, thread: layout.thread[n]});

/* ---- Find ---- */

const ALIASES = {
  t: "tid", thread: "tid", lane: "tid", e: "i", element: "i", r: "row", c: "col", column: "col", b: "block",
};

/* Reads "row 3 col 5" to {row: 3, col: 5}; null if it is nothing of the kind. */
function readNamed(text, names) {
  const found = {};
  if (!/^(\s*[A-Za-z_]\w*?[\s=]*\d+\s*,?)+$/.test(text))
    return null;
  for (const [, word, number] of text.matchAll(/([A-Za-z_]\w*?)[\s=]*(\d+)(?!\w)/g)) {
    const name = names.includes(word) ? word
      : names.includes(word.toLowerCase()) ? word.toLowerCase() : ALIASES[word.toLowerCase()];
    if (!names.includes(name) || name in found)
      return null;
    found[name] = Number(number);
  }
  return found;
}

/* Throws a sentence if a wanted point lacks a coordinate of a space, or one is too large. */
function checkPoint(space, wanted) {
  for (const [name, size] of space) {
    const word = WORDS[name] || name;
    if (wanted[name] === undefined)
      throw new Error(`the ${word} is missing`);
    if (wanted[name] >= size)
      throw new Error(`there is no ${word} ${wanted[name]}; the last one is ${size - 1}`);
  }
}

function findPlace(layout, wanted) {
  for (const [name] of layout.outer)
    wanted[name] = wanted[name] || 0;
  const copy = layout.isPlaced ? 0 : wanted[layout.copyAxis] || layout.choice || 0;
  checkPoint(layout.grid, wanted);
  checkPoint([[layout.copyAxis, layout.copies]], {[layout.copyAxis]: copy});
  const place = numberOf(layout.grid, layout.grid.map(([name]) => wanted[name]));
  const n = layout.holders[copy * layout.holders.length / layout.copies + place];
  if (n < 0)
    throw new Error("this position is empty");
  return entryChoice(layout, n);
}

function findHolder(layout, wanted) {
  const element = layout.elementAxis < 0 ? undefined : wanted[layout.from[layout.elementAxis][0]];
  checkPoint(element === undefined ? layout.threadSpace : layout.from, wanted);
  const thread = numberOf(layout.threadSpace, layout.threadSpace.map(([name]) => wanted[name]));
  return {side: 0, n: element === undefined ? -1 : layout.held[thread * layout.elements + element], thread};
}

function findValue(layout, wanted) {
  for (let n = 0; n < layout.entries; n++)
    if (layout.to.every(([name], c) => wanted[name] === undefined || wanted[name] === layout.at[c][n]))
      return entryChoice(layout, n);
  throw new Error("there is no element at this position");
}

/* What a text asks for. Throws a sentence. */
function find(text, layout) {
  const plain = text.trim().replace(/^\((.*)\)$/, "$1");
  const holder = /^(\d+)\s*:\s*(\d+)$/.exec(plain);
  if (holder && layout.isPlane && layout.threadSpace.length === 1 && layout.elementAxis >= 0)
    return findHolder(layout, {
      [layout.threadSpace[0][0]]: Number(holder[1]), [layout.from[layout.elementAxis][0]]: Number(holder[2]),
    });
  if (/^\d+((\s*,\s*|\s+)\d+)*$/.test(plain)) {
    const numbers = plain.split(/[\s,]+/).map(Number), axes = layout.grid.slice(-numbers.length);
    if (numbers.length <= layout.grid.length && numbers.length >= Math.min(2, layout.grid.length))
      return findPlace(layout, Object.fromEntries(axes.map(([name], a) => [name, numbers[a]])));
  }
  const names = space => space.map(([name]) => name);
  const place = readNamed(plain, [...names(layout.grid), layout.copyAxis]);
  const other = readNamed(plain, names(layout.isPlane ? layout.from : layout.to));
  if (place)
    return findPlace(layout, place);
  if (other)
    return layout.isPlane ? findHolder(layout, other) : findValue(layout, other);
  throw new Error("write a position, such as 3,5, or " +
    (layout.isPlane ? "a thread, such as T13 i2 or T13" : `a value, such as ${layout.to[0][0]} 7`));
}

function applyFind() {
  const text = byId("find").value;
  if (!text.trim())
    return;
  try {
    choose(find(text, layoutOf(state.report)), true);
  } catch (error) {
    say(`Cannot find '${text.trim()}': ${error.message}.`);
    return;
  }
  say("");
  reveal(true);
  writeAddress(true);
  speak();
}

/* ---- The address ---- */

const encode = text => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":");

function addressText() {
  const {report, other, view, color, choice, isFixed} = state, {layout} = grids[choice.side];
  const where = isFixed && choice.n >= 0 ? layout.where(choice.n) : null;
  const items = {
    fragment: report.key, arch: archText(report.arch), view,
    color: color === (data.color || Object.keys(colorsOf(report))[0]) ? "" : color,
    cells: state.isWhole && layoutOf(report).fold ? "all" : "", grid: isFixed && choice.side > 0 ? choice.side : "",
    at: where ? `${where.row},${where.col}` : "", part: where && where.part > 0 ? where.part : "",
    thread: isFixed && !where ? choice.thread : "", compare: other ? archText(other.arch) : "",
  };
  const given = Object.entries(items).filter(([, value]) => value !== "");
  return "#" + given.map(([name, value]) => `${name}=${encode(value)}`).join("&");
}

/* Writes the address, as a new entry of the browser's history if `isNew`. */
function writeAddress(isNew) {
  const text = addressText();
  if (text !== location.hash)
    history[isNew ? "pushState" : "replaceState"](null, "", text);
}

/* The items of an address. Throws a sentence if one is invalid. */
function readItems(hash) {
  const known = ["fragment", "arch", "view", "color", "cells", "grid", "at", "part", "thread", "compare"];
  const items = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B")));
  for (const name of Object.keys(items))
    if (!known.includes(name))
      throw new Error(`'${name}' is not a setting of this page`);
  return items;
}

function findReport(name, arch, fallback) {
  const reports = byName.get(name);
  if (!reports)
    throw new Error(`there is no '${name}' on this page`);
  const found = arch === undefined ? reports.find(report => report.arch === fallback) || reports[0]
    : reports.find(report => archText(report.arch) === arch);
  if (!found)
    throw new Error(`there is no '${name}' on '${arch}' on this page`);
  return found;
}

const isNumber = text => /^\d{1,9}$/.test(text);

/* The choice in an address, in one of the drawn reports; null if there is none. Throws an Error with a message for the
 * user. */
function readChoice(items, reports) {
  const side = Number(items.grid || 0);
  if (!isNumber(items.grid || "0") || side >= reports.length)
    throw new Error(`there is no grid '${items.grid}'`);
  const layout = layoutOf(reports[side]);
  if (items.thread !== undefined) {
    if (!isNumber(items.thread) || !layout.isPlane || Number(items.thread) >= layout.threads)
      throw new Error(`there is no thread '${items.thread}'`);
    return {side, n: -1, thread: Number(items.thread)};
  }
  if (items.at === undefined && items.part === undefined)
    return null;
  const place = (items.at || "").split(","), part = items.part === undefined ? "0" : items.part;
  const n = place.length === 2 && place.every(isNumber) && isNumber(part)
    ? layout.entryAt(Number(part), Number(place[0]), Number(place[1])) : -1;
  if (n < 0)
    throw new Error(`there is no position '${items.at || ""}'${part === "0" ? "" : ` in matrix '${part}'`}`);
  return entryChoice(layout, n, side);
}

/* Pages of at most this many names open with the whole product, if they have one. */
const OPERANDS = 4;

/* The state that an address describes. Throws a sentence. */
function readAddress(hash) {
  const items = readItems(hash), first = firstReport();
  const report = findReport(items.fragment === undefined ? first.key : items.fragment, items.arch, first.arch);
  const other = items.compare ? findReport(report.key, items.compare) : null;
  for (const [name, choices] of [["view", viewsOf(report)], ["color", colorsOf(report)]])
    if (items[name] !== undefined && !Object.prototype.hasOwnProperty.call(choices, items[name]))
      throw new Error(`'${report.key}' has no ${name} '${items[name]}'`);
  if (items.cells !== undefined && items.cells !== "all")
    throw new Error(`there are no cells '${items.cells}'`);
  const views = viewsOf(report), view = items.view || (byName.size > OPERANDS || other ? "matrix"
    : ["product", "both"].find(name => name in views) || "matrix");
  const compared = other === report ? null : other, choice = readChoice(items, reportsDrawn(report, compared, view));
  return {
    report, other: compared, view, color: items.color || data.color, isWhole: items.cells === "all", choice, isFixed: choice !== null,
  };
}

function openAddress() {
  let sentence = "", wanted;
  try {
    wanted = readAddress(location.hash);
  } catch (error) {
    sentence = `Invalid URL: ${error.message}.`;
    wanted = readAddress("");
  }
  Object.assign(state, wanted);
  draw();
  say(sentence);
  if (state.isFixed)
    reveal(false);
  if (!sentence)
    writeAddress(false);
}
