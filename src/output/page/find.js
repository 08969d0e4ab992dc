/* Finding places and holders by what people write. */

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

/* What a wanted point along the axes of a space lacks or exceeds; "" if it is there. */
function problemOf(space, wanted) {
  for (const [name, size] of space) {
    const word = WORDS[name] || name;
    if (wanted[name] === undefined)
      return `the ${word} is missing`;
    if (wanted[name] >= size)
      return `there is no ${word} ${wanted[name]}; the last one is ${size - 1}`;
  }
  return "";
}

function findPlace(layout, wanted) {
  for (const [name] of layout.outer)
    wanted[name] = wanted[name] || 0;
  const copy = layout.isPlaced ? 0 : wanted[layout.copyAxis] || 0;
  const problem = problemOf(layout.grid, wanted) ||
    (copy < layout.copies ? "" : `there is no ${layout.copyAxis} ${copy}; the last one is ${layout.copies - 1}`);
  if (problem)
    throw new Error(problem);
  const place = numberOf(layout.grid, layout.grid.map(([name]) => wanted[name]));
  const n = layout.holders[copy * layout.holders.length / layout.copies + place];
  if (n < 0)
    throw new Error("this position is empty");
  return {side: 0, n, thread: layout.thread[n]};
}

function findHolder(layout, wanted) {
  const element = layout.elementAxis < 0 ? undefined : wanted[layout.from[layout.elementAxis][0]];
  const problem = problemOf(element === undefined ? layout.threadSpace : layout.from, wanted);
  if (problem)
    throw new Error(problem);
  const thread = numberOf(layout.threadSpace, layout.threadSpace.map(([name]) => wanted[name]));
  return {side: 0, n: element === undefined ? -1 : layout.held[thread * layout.elements + element], thread};
}

function findValue(layout, wanted) {
  for (let n = 0; n < layout.entries; n++)
    if (layout.to.every(([name], c) => wanted[name] === undefined || wanted[name] === layout.at[c][n]))
      return {side: 0, n, thread: layout.thread[n]};
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
  const source = layout.isPlane && readNamed(plain, names(layout.from));
  const value = !layout.isPlane && readNamed(plain, names(layout.to));
  if (place)
    return findPlace(layout, place);
  if (source)
    return findHolder(layout, source);
  if (value)
    return findValue(layout, value);
  throw new Error("write a position, such as 3,5, or " +
    (layout.isPlane ? "a thread, such as T13 i2 or T13" : `a value, such as ${layout.to[0][0]} 7`));
}

function applyFind() {
  const text = byId("find").value;
  if (!text.trim())
    return;
  try {
    choose(find(text, show(state.report).layout), true);
  } catch (error) {
    say(`Cannot find '${text.trim()}': ${error.message}.`);
    return;
  }
  say("");
  reveal(cellOf(state.choice), true);
  writeAddress();
  speak();
}
