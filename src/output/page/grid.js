/* Grids: tables of cells, one for each entry of a layout, in either view. */

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className)
    element.className = className;
  if (text !== undefined)
    element.textContent = text;
  return element;
}

/* A grid in its container. Its cells know their entry, heads of rows in the view of registers their
 * thread. */
class Grid {
  constructor(container) {
    this.container = container;
    this.lines = []; /* of cells, null where none is, across all parts: what arrow keys walk */
    this.cells = []; /* by entry */
    this.heads = []; /* by thread */
  }

  /* Draws a report: {layout, report} in a view, with colors by thread, element or bank. */
  draw(shown, view, by, label) {
    Object.assign(this, {layout: shown.layout, report: shown.report, view, by});
    this.lines = [];
    this.cells = new Array(this.layout.entries);
    this.heads = [];
    const tables = view === "registers" ? [this.makeRegisters()]
      : view === "addresses" ? [this.makeAddresses()] : this.makeParts();
    for (const table of tables)
      table.setAttribute("aria-label", [label, table.caption ? table.caption.textContent : ""].filter(text => text).join(", "));
    tables.forEach(table => this.sizeColumns(table));
    this.container.replaceChildren(...tables);
    const first = this.cells.find(cell => cell);
    if (first)
      first.tabIndex = 0;
    this.stop = first;
  }

  clear() {
    this.container.replaceChildren();
    this.layout = null;
  }

  /* A table with numbers above its columns, and a title, if there is one. */
  makeTable(title, corner, heads) {
    const table = make("table"), head = make("thead"), row = make("tr");
    table.setAttribute("role", "grid");
    if (title)
      table.append(make("caption", "", title));
    row.append(make("td", "corner", corner));
    for (const head of heads) {
      const cell = make("th", "", head.text === undefined ? head : head.text);
      cell.scope = head.span > 1 ? "colgroup" : "col";
      if (head.span > 1)
        cell.colSpan = head.span;
      row.append(cell);
    }
    head.append(row);
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
    style.setProperty("--line-width", `${Math.max(line + 0.6, Math.min(line + 1.5, 7.6))}ch`); /* 16 of 7.6 fit a screen */
    style.setProperty("--word-width", `${Math.max(widest(cells, " "), 3) + 0.8}ch`);
    const columns = rows[rows.length - 1].cells.length - 1, group = make("colgroup");
    style.setProperty("--columns", columns);
    group.append(...Array.from({length: columns + 1}, () => make("col")));
    table.insertBefore(group, table.tHead);
  }

  makeRow(table, text) {
    const row = make("tr"), head = make("th", "", text);
    head.scope = "row";
    row.append(head);
    table.tBodies[0].append(row);
    this.lines.push([]);
    return row;
  }

  addCell(row, n) {
    const line = this.lines[this.lines.length - 1];
    if (n < 0) {
      row.append(make("td", "gap"));
      line.push(null);
      return;
    }
    const {layout, report} = this, where = layout.where(n), cell = document.createElement("td");
    cell.className = "c" + colorOf(this.by, layout, n, report.bits || 0);
    cell.setAttribute("data-part", where.part);
    cell.setAttribute("data-row", where.row);
    cell.setAttribute("data-col", where.col);
    if (layout.isPlane) {
      cell.setAttribute("data-tid", layout.thread[n]);
      cell.setAttribute("data-i", layout.element[n]);
    } else if (layout.isPlaced) {
      layout.to.forEach(([name], c) => cell.setAttribute("data-" + name, layout.at[c][n]));
    } else if (report.kind === "memory") {
      cell.setAttribute("data-stage", where.block);
      cell.setAttribute("data-offset", layout.at[0][n]);
      cell.setAttribute("data-bank", bankOf(layout.at[0][n], report.bits));
    }
    cell.tabIndex = -1;
    cell.textContent = this.textOf(n);
    cell.entry = n;
    row.append(cell);
    line.push(cell);
    this.cells[n] = cell;
  }

  textOf(n) {
    if (this.view !== "matrix")
      return shortPlaceText(this.layout, n);
    return this.layout.isPlane ? holderText(this.layout, n) : this.layout.target(n).join(",");
  }

  /* A table for each block and copy. */
  makeParts() {
    const {layout} = this, numbers = Array.from({length: layout.cols}, (_, col) => col);
    return Array.from({length: layout.parts}, (_, part) => {
      const corner = layout.grid.length > 1 ? `${rowName(layout)} \\ ${colName(layout)}` : colName(layout);
      const table = this.makeTable(partText(layout, part), corner, numbers);
      for (let r = 0; r < layout.rows; r++) {
        const row = this.makeRow(table, r);
        for (let col = 0; col < layout.cols; col++)
          this.addCell(row, layout.entryAt(part, r, col));
      }
      return table;
    });
  }

  /* A row for each thread, a column for each element. */
  makeRegisters() {
    const {layout, report} = this;
    const heads = Array.from({length: layout.elements}, (_, i) => elementText(layout, i));
    const table = this.makeTable("", layout.threadSpace.map(([name]) => name).join(" "), heads);
    if (report.bits)
      table.tHead.prepend(this.makeRegisterHeads(report.bits));
    for (let thread = 0; thread < layout.threads; thread++) {
      const row = this.makeRow(table, threadText(layout, thread)), head = row.cells[0];
      head.setAttribute("data-thread", thread);
      head.tabIndex = -1;
      head.thread = thread;
      this.heads[thread] = head;
      this.lines[this.lines.length - 1].push(head);
      for (let i = 0; i < layout.elements; i++)
        this.addCell(row, layout.held[thread * layout.elements + i]);
    }
    return table;
  }

  /* The registers above the elements that they hold. */
  makeRegisterHeads(bits) {
    const row = make("tr"), {elements} = this.layout;
    row.append(make("td", "corner", "register"));
    for (let i = 0; i < elements;) {
      const first = Math.floor(i * bits / WORD_BITS), last = Math.floor(((i + 1) * bits - 1) / WORD_BITS);
      const cell = make("th", "", last > first ? `${first}-${last}` : first);
      let count = 1;
      while (i + count < elements && Math.floor((i + count) * bits / WORD_BITS) === first)
        count++;
      cell.scope = count > 1 ? "colgroup" : "col";
      if (count > 1)
        cell.colSpan = count;
      row.append(cell);
      i += count;
    }
    return row;
  }

  /* The banks above so many elements side by side: numbers, and how many elements each is above. */
  makeBankHeads(count, bits) {
    const each = Math.max(1, WORD_BITS / bits);
    return Array.from({length: Math.ceil(count / each)}, (_, k) =>
      ({text: bankOf(k * each, bits), span: Math.min(each, count - k * each)}));
  }

  /* A row for each line of 128 bytes that has something in it. */
  makeAddresses() {
    const {layout, report} = this, each = Math.max(1, LINE_BITS / report.bits);
    const order = Array.from({length: layout.entries}, (_, n) => n)
      .sort((a, b) => layout.at[0][a] - layout.at[0][b]);
    const used = Math.min(each, layout.at[0][order[order.length - 1]] + 1);
    const table = this.makeTable("", "byte \\ bank", this.makeBankHeads(used, report.bits));
    for (let k = 0; k < order.length;) {
      const line = Math.floor(layout.at[0][order[k]] / each), row = this.makeRow(table, line * each * report.bits / 8);
      for (let n = 0; n < used; n++) {
        const isThere = k < order.length && layout.at[0][order[k]] === line * each + n;
        this.addCell(row, isThere ? order[k++] : -1);
      }
    }
    return table;
  }

  /* The cell that the focus comes to when it comes to the grid. */
  moveStop(cell) {
    if (this.stop)
      this.stop.tabIndex = -1;
    cell.tabIndex = 0;
    this.stop = cell;
  }

  /* The cell next to another: `down` and `right` of it, past gaps; null at the edges. */
  next(cell, down, right) {
    const find = () => {
      for (let line = 0; line < this.lines.length; line++) {
        const place = this.lines[line].indexOf(cell);
        if (place >= 0)
          return [line, place];
      }
      return [0, 0];
    };
    let [line, place] = find();
    do {
      line += down;
      place += right;
      const found = this.lines[line] && this.lines[line][place];
      if (found)
        return found;
    } while (this.lines[line] && place >= 0 && place < this.lines[line].length);
    return null;
  }

  /* The first or last cell of a line, or of all. */
  end(cell, isLast, ofAll) {
    const line = ofAll ? this.lines[isLast ? this.lines.length - 1 : 0]
      : this.lines.find(cells => cells.includes(cell));
    const cells = line.filter(found => found);
    return cells[isLast ? cells.length - 1 : 0];
  }
}
