/* The address: what is shown and chosen, written to it and read from it. */

const encode = text => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":");

function addressText() {
  const {report, other, choice, isFixed} = state, items = [["fragment", report.key]];
  if (report.arch)
    items.push(["arch", archText(report.arch)]);
  items.push(["view", state.view]);
  const shown = show(report);
  if (state.color !== (data.color || Object.keys(colorsOf(shown))[0]))
    items.push(["color", state.color]);
  if (choice && choice.side === 0 && isFixed && choice.n >= 0) {
    const where = shown.layout.where(choice.n);
    items.push(["at", `${where.row},${where.col}`]);
    if (where.part > 0)
      items.push(["part", where.part]);
  } else if (choice && choice.side === 0 && isFixed) {
    items.push(["thread", choice.thread]);
  }
  if (other)
    items.push(["compare", archText(other.arch)]);
  return "#" + items.map(([name, value]) => `${name}=${encode(value)}`).join("&");
}

function writeAddress() {
  const text = addressText();
  if (text !== location.hash)
    history.replaceState(null, "", text);
}

/* The items of an address, or a sentence on what is wrong with it. */
function readItems(hash) {
  const known = ["fragment", "arch", "view", "color", "at", "part", "thread", "compare"], items = {};
  for (const item of hash.replace(/^#/, "").split("&").filter(text => text)) {
    const [name, ...rest] = item.split("=");
    if (!known.includes(name) || rest.length === 0)
      throw new Error(`'${item}' is not a setting of this page`);
    try {
      items[name] = decodeURIComponent(rest.join("="));
    } catch (error) {
      throw new Error(`'${item}' cannot be decoded`);
    }
  }
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

/* The choice that an address makes; null if it makes none. */
function readChoice(items, layout) {
  if (items.thread !== undefined) {
    if (!isNumber(items.thread) || !layout.isPlane || Number(items.thread) >= layout.threads)
      throw new Error(`there is no thread '${items.thread}'`);
    return {side: 0, n: -1, thread: Number(items.thread)};
  }
  if (items.at === undefined && items.part === undefined)
    return null;
  const place = (items.at || "").split(","), part = items.part === undefined ? "0" : items.part;
  const n = place.length === 2 && place.every(isNumber) && isNumber(part)
    ? layout.entryAt(Number(part), Number(place[0]), Number(place[1])) : -1;
  if (n < 0)
    throw new Error(`there is no position '${items.at || ""}'${part === "0" ? "" : ` in matrix '${part}'`}`);
  return {side: 0, n, thread: layout.thread[n]};
}

/* A page of no more names is that of one product, and opens with all of it if it is one. */
const OPERANDS = 4;

/* The state that an address stands for. Throws a sentence. */
function readAddress(hash) {
  const items = readItems(hash), first = firstReport();
  const report = findReport(items.fragment === undefined ? first.key : items.fragment, items.arch, first.arch);
  const shown = show(report);
  const other = items.compare ? findReport(report.key, items.compare) : null;
  for (const [name, choices] of [["view", viewsOf(shown)], ["color", colorsOf(shown)]])
    if (items[name] !== undefined && !Object.prototype.hasOwnProperty.call(choices, items[name]))
      throw new Error(`'${report.key}' has no ${name} '${items[name]}'`);
  const choice = readChoice(items, shown.layout);
  return {
    report, other: other === report ? null : other, view: items.view || (byName.size <= OPERANDS && !other ? "product" : "matrix"),
    color: items.color || data.color, choice, isFixed: choice !== null,
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
    reveal(cellOf(state.choice), false);
  if (!sentence)
    writeAddress();
}

/* Brings a cell into sight, and the focus to it if it is to have that. */
function reveal(cell, hasFocus) {
  if (!cell)
    return;
  grids[state.choice.side].moveStop(cell);
  cell.scrollIntoView({block: "nearest", inline: "nearest"});
  if (hasFocus && isSame(choiceOf(state.choice.side, cell), state.choice))
    cell.focus({preventScroll: true});
}
