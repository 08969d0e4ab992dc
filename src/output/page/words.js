/* How things are said: labels, ranges, registers, formulae with numbers put in. */

const SHORT = {tid: "T", i: "i"}, WORDS = {tid: "thread", i: "element", col: "column"};

/* "T13", "i2"; of other axes "warp 1". */
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

/* The names of rows and columns of the grids. */
function rowName(layout) {
  return layout.grid.length > 1 ? layout.grid[layout.grid.length - 2][0] : "";
}
function colName(layout) {
  return layout.grid[layout.grid.length - 1][0];
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

/* What a target that is no plane is: "offset 72". */
function valueText(layout, n) {
  return layout.to.map(([name], c) => `${name} ${layout.at[c][n]}`).join(", ");
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

/* "0-3, 8" of ascending numbers. */
function rangesText(numbers, sign) {
  const ranges = [];
  for (let first = 0, last; first < numbers.length; first = last + 1) {
    for (last = first; numbers[last + 1] === numbers[last] + 1;)
      last++;
    ranges.push(sign + numbers[first] + (last > first ? "-" + numbers[last] : ""));
  }
  return ranges.join(", ");
}

function threadsText(layout, threads) {
  if (layout.threadSpace.length === 1)
    return rangesText(threads, coordinateText(layout.threadSpace[0], ""));
  const shown = threads.slice(0, 64).map(thread => threadText(layout, thread)).join(", ");
  return shown + (threads.length > 64 ? ` and ${threads.length - 64} more` : "");
}

/* Which 32-bit register an element is in, and which bits of it. */
function registerText(element, bits) {
  const first = element * bits, last = first + bits - 1;
  const low = Math.floor(first / WORD_BITS), high = Math.floor(last / WORD_BITS);
  if (high > low)
    return `registers ${low}-${high}`;
  const range = bits === 1 ? `bit ${first % WORD_BITS}` : `bits ${first % WORD_BITS}-${last % WORD_BITS}`;
  return `register ${low}, ${range}`;
}

/* The color class of a thread, of an element of so many bits, of a bank: as src/output/colors.c
 * has it. */
const HUES = 8, SHADES = 4, COLORS = HUES * SHADES;

function colorOf(by, layout, n, bits) {
  if (by === "element") {
    const each = bits > 0 && bits < WORD_BITS ? Math.floor(WORD_BITS / bits) : 1;
    const register = Math.floor(layout.element[n] / each);
    const shade = layout.element[n] % each + Math.floor(register / HUES);
    return register % HUES * SHADES + shade % SHADES;
  }
  if (by === "lane" || by === "column")
    return layout.along(by, n) % COLORS;
  const number = by === "thread" ? layout.thread[n] :
    bits > 0 ? bankOf(layout.at[0][n], bits) : layout.at[layout.at.length - 1][n];
  return number % COLORS;
}

/* A formula with numbers in the place of names. */
function substitute(formula, values) {
  return formula.replace(/[A-Za-z_][A-Za-z_0-9]*/g, name =>
    Object.prototype.hasOwnProperty.call(values, name) ? values[name] : name);
}
