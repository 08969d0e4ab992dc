/* Grids: tables of cells, one for each entry of a layout, in either view. */

/* Makes an element with properties and children: make("th", {scope: "row"}, "3"). */
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/* Color classes of threads, elements, banks, lanes and columns, the same as in colors.c. */
const HUES = 8, SHADES = 4, COLORS = HUES * SHADES;

function colorOf(by, layout, n) {
  const {bits} = layout;
  if (by === "element") {
    const each = bits > 0 && bits < WORD_BITS ? Math.floor(WORD_BITS / bits) : 1;
    const register = Math.floor(layout.element[n] / each);
    const shade = layout.element[n] % each + Math.floor(register / HUES);
    return register % HUES * SHADES + shade % SHADES;
  }
  const number = by === "thread" ? layout.thread[n]
    : by === "lane" || by === "column" ? layout.coordinate(by, n)
    : bits > 0 ? layout.bankOf(n) : layout.at[layout.at.length - 1][n];
  return number % COLORS;
}

/* The grid of number `side` in its container. Each cell, and in the view of registers each head of a row, stores the
 * choice that it makes, and its position in `lines`. */
class Grid {
  constructor(container, side) {
    Object.assign(this, {container, side});
    this.clear();
  }

  clear() {
    this.container.replaceChildren();
    this.layout = this.stop = null;
    this.lines = []; /* of cells, null where none is, across all parts: what arrow keys walk */
    this.cells = []; /* by entry */
    this.heads = []; /* by thread */
  }

  /* Draws the layout of a report in a view, with colors by thread, element or bank; of a matrix only the first period
   * of its rows and columns if it is folded. */
  draw(report, view, by, label, isFolded) {
    this.clear();
    Object.assign(this, {report, layout: layoutOf(report), view, by});
    this.size = [this.layout.rows, this.layout.cols];
    if (isFolded)
      this.size = [this.layout.rowName, this.layout.colName].map(name => this.layout.fold.size[name]);
    this.cells = new Array(this.layout.entries);
    const tables = view === "registers" ? [this.makeRegisters()]
      : view === "addresses" ? [this.makeAddresses(isFolded)] : this.makeParts();
    for (const table of tables) {
      table.setAttribute("aria-label", [label, table.caption ? table.caption.textContent : ""].filter(text => text).join(", "));
      this.sizeColumns(table);
    }
    this.container.append(...tables);
    const first = this.cells.find(cell => cell);
    if (first)
      this.moveStop(first);
  }

  /* A table with a title, unless that is "", and rows of heads above its columns: {text}, or {text, span} above several
   * columns. Each row of heads begins with a corner. */
  makeTable(title, ...rows) {
    const table = make("table"), head = make("thead");
    table.setAttribute("role", "grid");
    if (title)
      table.append(make("caption", {}, title));
    for (const [corner, heads] of rows)
      head.append(make("tr", {}, make("td", {className: "corner"}, corner), ...heads.map(({text, span}) =>
        make("th", span > 1 ? {scope: "colgroup", colSpan: span} : {scope: "col"}, text))));
    table.append(head, make("tbody"));
    return table;
  }

  /* Has all columns as wide as the widest text, or word where a cell has a line for each, so that no browser has to
   * find out. */
  sizeColumns(table) {
    const widest = (cells, pattern) => Array.from(cells).reduce((width, cell) =>
      cell.textContent.split(pattern).reduce((most, text) => Math.max(most, text.length), width), 0);
    const rows = Array.from(table.rows), cells = this.cells.filter(cell => cell), {style} = table;
    style.setProperty("--head-width", `${widest(rows.map(row => row.cells[0])) + 1.3}ch`);
    const line = Math.max(widest(cells), 3);
    style.setProperty("--line-width", `${Math.max(line + 0.6, Math.min(line + 1.5, 6.8))}ch`); /* 16 of 6.8 leave room for formulae */
    style.setProperty("--word-width", `${Math.max(widest(cells, " "), 3) + 0.8}ch`);
    const columns = rows[rows.length - 1].cells.length - 1;
    style.setProperty("--columns", columns);
    table.insertBefore(make("colgroup", {}, ...Array.from({length: columns + 1}, () => make("col"))), table.tHead);
  }

  /* Adds a row with a head; returns it. */
  makeRow(table, text) {
    const row = make("tr", {}, make("th", {scope: "row"}, text));
    table.tBodies[0].append(row);
    this.lines.push([]);
    return row;
  }

  /* Makes a cell or a head a stop of arrow keys, at the end of the last line. */
  addStop(cell, n, thread) {
    const line = this.lines.length - 1;
    Object.assign(cell, {tabIndex: -1, choice: {side: this.side, n, thread}, line, place: this.lines[line].length});
    this.lines[line].push(cell);
  }

  /* Adds the cell of an entry to a row, or a gap if n is -1. */
  addCell(row, n) {
    if (n < 0) {
      row.append(make("td", {className: "gap"}));
      this.lines[this.lines.length - 1].push(null);
      return;
    }
    const {layout} = this, where = layout.where(n);
    const cell = make("td", {className: "c" + colorOf(this.by, layout, n), textContent: this.textOf(n)});
    const known = layout.isPlane ? {tid: layout.thread[n], i: layout.element[n]}
      : layout.isPlaced ? Object.fromEntries(layout.to.map(([name], c) => [name, layout.at[c][n]]))
      : layout.isMemory ? {stage: where.block, offset: layout.at[0][n], bank: layout.bankOf(n)} : {};
    Object.assign(cell.dataset, {part: where.part, row: where.row, col: where.col}, known);
    this.addStop(cell, n, layout.thread[n]);
    row.append(cell);
    this.cells[n] = cell;
  }

  textOf(n) {
    if (this.view !== "matrix")
      return shortPlaceText(this.layout, n);
    return this.layout.isPlane ? holderText(this.layout, n) : this.layout.target(n).join(",");
  }

  /* A table for each block and copy. */
  makeParts() {
    const {layout} = this, [rows, cols] = this.size, numbers = Array.from({length: cols}, (_, col) => ({text: col}));
    const isShown = part => layout.choice === null || Math.floor(part / layout.blocks) === layout.choice;
    return Array.from({length: layout.parts}, (_, part) => part).filter(isShown).map(part => {
      const corner = layout.grid.length > 1 ? `${layout.rowName} \\ ${layout.colName}` : layout.colName;
      const table = this.makeTable(partText(layout, part), [corner, numbers]);
      for (let r = 0; r < rows; r++) {
        const row = this.makeRow(table, r);
        for (let col = 0; col < cols; col++)
          this.addCell(row, layout.entryAt(part, r, col));
      }
      return table;
    });
  }

  /* A row for each thread, a column for each element; if the size of elements is known, registers are named above. */
  makeRegisters() {
    const {layout} = this, {bits, elements} = layout, registers = [];
    const wordAt = bit => Math.floor(bit / WORD_BITS);
    for (let i = 0, span; i < elements && bits; i += span) {
      const first = wordAt(i * bits), last = wordAt((i + 1) * bits - 1);
      for (span = 1; i + span < elements && wordAt((i + span) * bits) === first;)
        span++;
      registers.push({text: last > first ? `${first}-${last}` : first, span});
    }
    const heads = Array.from({length: elements}, (_, i) => ({text: elementText(layout, i)}));
    const table = this.makeTable("", ...(bits ? [["register", registers]] : []),
      [layout.threadSpace.map(([name]) => name).join(" "), heads]);
    for (let thread = 0; thread < layout.threads; thread++) {
      const row = this.makeRow(table, threadText(layout, thread)), head = row.cells[0];
      head.dataset.thread = thread;
      this.heads[thread] = head;
      this.addStop(head, -1, thread);
      for (let i = 0; i < elements; i++)
        this.addCell(row, layout.held[thread * elements + i]);
    }
    return table;
  }

  /* A row for each line of 128 bytes with at least one element; each bank is named above its elements. If it is folded,
   * only lines with elements of the first period. */
  makeAddresses(isFolded) {
    const {layout} = this, {bits} = layout, offsets = layout.at[0];
    const inLine = Math.max(1, LINE_BITS / bits), inBank = Math.max(1, WORD_BITS / bits);
    const order = Array.from({length: layout.entries}, (_, n) => n).sort((a, b) => offsets[a] - offsets[b]);
    const used = Math.min(inLine, offsets[order[order.length - 1]] + 1);
    const banks = Array.from({length: Math.ceil(used / inBank)}, (_, k) =>
      ({text: bankOf(k * inBank, bits), span: Math.min(inBank, used - k * inBank)}));
    const table = this.makeTable("", ["byte \\ bank", banks]), [rows, cols] = this.size;
    const lineOf = n => Math.floor(offsets[n] / inLine), isFirst = ({row, col}) => row < rows && col < cols;
    const drawn = isFolded ? new Set(order.filter(n => isFirst(layout.where(n))).map(lineOf)) : null;
    for (let k = 0; k < order.length;) {
      const line = lineOf(order[k]);
      if (drawn && !drawn.has(line)) {
        k++;
        continue;
      }
      const row = this.makeRow(table, line * inLine * bits / 8);
      for (let n = 0; n < used; n++)
        this.addCell(row, k < order.length && offsets[order[k]] === line * inLine + n ? order[k++] : -1);
    }
    return table;
  }

  /* Makes a cell the one that the Tab key reaches. */
  moveStop(cell) {
    if (this.stop)
      this.stop.tabIndex = -1;
    cell.tabIndex = 0;
    this.stop = cell;
  }

  /* The cell next to another: `down` and `right` of it, past gaps; null at the edges. */
  next(cell, down, right) {
    let line = cell.line + down, place = cell.place + right;
    for (; this.lines[line] && place >= 0 && place < this.lines[line].length; line += down, place += right)
      if (this.lines[line][place])
        return this.lines[line][place];
    return null;
  }

  /* The first or last cell of a line, or of all. */
  end(cell, isLast, ofAll) {
    const line = this.lines[!ofAll ? cell.line : isLast ? this.lines.length - 1 : 0];
    const cells = line.filter(found => found);
    return cells[isLast ? cells.length - 1 : 0];
  }
}
