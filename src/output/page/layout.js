"use strict";
/* Layouts: makes tables from the data of the file, and finds holders and places. Numbers count from 0. Entry 10 of
 * {from: [["tid", 32], ["i", 8]], to: [["row", 16], ["col", 16]], ...} is T1 i2; its row is at[0][10]. */

/* A coordinate at all points of a space: the exclusive or of the base and what each bit contributes, plus the step for
   every 2^bits values of an axis. */
function combineBits(from, at) {
  const values = new Uint32Array(sizeOf(from));
  for (let n = 0; n < values.length; n++) {
    let value = at.base, steps = 0;
    for (let a = from.length - 1, rest = n; a >= 0; rest = Math.floor(rest / from[a--][1])) {
      const x = rest % from[a][1], bits = at.bits[a];
      for (let b = 0; b < bits.length; b++)
        value ^= x >> b & 1 ? bits[b] : 0;
      steps += x >> bits.length;
    }
    values[n] = (value >>> 0) + steps * at.step;
  }
  return values;
}

function sizeOf(space) {
  return space.reduce((product, [, size]) => product * size, 1);
}

/* The coordinates of point n, the last axis running fastest, and back. */
function pointOf(space, n) {
  const point = new Array(space.length);
  for (let a = space.length; a-- > 0; n = Math.floor(n / space[a][1]))
    point[a] = n % space[a][1];
  return point;
}
function numberOf(space, point) {
  return space.reduce((number, [, size], a) => number * size + point[a], 0);
}

/* Target points beyond this are not drawn one by one. */
const PLACES_MAX = 1 << 17;

/* The layout of a report. Each of its entries n, a point of `from`, is one cell of a grid. If the target is a plane,
 * entry n is element[n] of thread[n], and several entries at one place are copies. Otherwise the entry is the place
 * in the grid, and the cell shows its target: for a matrix in memory or Tensor Memory, where the element lies. */
class Layout {
  constructor(data, report) {
    Object.assign(this, {from: data.from, to: data.to, copyAxis: data.copy || "copy", choice: data.choice, bits: report.bits || 0, used: report.used});
    this.formulae = data.formulae;
    this.inverse = data.inverse;
    this.fold = data.fold;
    this.entries = sizeOf(this.from);
    this.at = data.at.map(at => Array.isArray(at) ? Uint32Array.from(at) : combineBits(this.from, at));
    this.places = sizeOf(this.to);
    const has = (space, axis) => space.some(([name]) => name === axis);
    this.isPlaced = has(this.from, "row") && has(this.to, "lane");
    this.isPlane = this.to.length >= 2 && this.places <= PLACES_MAX && !this.isPlaced;
    this.isMemory = report.kind === "memory";
    this.kind = this.isPlane ? "plane" : this.isPlaced ? "placed" : this.isMemory ? "memory" : "values";
    this.elementAxis = this.from.findIndex(([name]) => name === "i");
    if (this.elementAxis < 0)
      this.elementAxis = this.from.length > 1 ? this.from.length - 1 : -1;
    this.threadSpace = this.from.filter((_, a) => a !== this.elementAxis);
    this.threads = sizeOf(this.threadSpace);
    this.elements = this.elementAxis < 0 ? 1 : this.from[this.elementAxis][1];
    const isInner = a => this.isPlaced && ["row", "col"].includes(this.from[a][0]);
    const axes = this.from.map((_, a) => a); /* of the source, in the order of the grid */
    this.order = [...axes.filter(a => !isInner(a)), ...axes.filter(isInner)];
    /* The grid: the names and sizes of its rows and columns, and the outer axes, which number blocks. */
    this.grid = this.isPlane ? this.to : this.order.map(a => this.from[a]);
    const [[rowName, rows], [colName, cols]] = this.grid.length > 1 ? this.grid.slice(-2) : [["", 1], this.grid[0]];
    const outer = this.grid.slice(0, -2);
    Object.assign(this, {rowName, rows, colName, cols, outer, blocks: sizeOf(outer)});
    this.number();
  }

  /* Which copy of its target an entry is, as the formulae of the inverse have it. */
  copyOf(n) {
    if (this.isPlane)
      return this.copy[n];
    const isSame = other => this.at.every(values => values[other] === values[n]);
    let copies = 0;
    for (let other = 0; other < n; other++)
      copies += isSame(other);
    return copies;
  }

  /* True unless a line of PTX or SASS selects another copy than that of entry n. */
  isChosen(n) {
    return this.choice === null || this.copy[n] === this.choice;
  }

  /* Numbers places and copies, threads and elements. */
  number() {
    const count = this.entries, met = new Uint32Array(this.isPlane ? this.places : 0);
    this.place = new Uint32Array(count);
    this.copy = new Uint32Array(count);
    this.thread = new Uint32Array(count);
    this.element = new Uint32Array(count);
    this.copies = 1;
    const inner = sizeOf(this.from.slice(this.elementAxis + 1)); /* from one element to the next */
    for (let n = 0; n < count; n++) {
      const outer = Math.floor(n / inner);
      this.element[n] = this.elementAxis < 0 ? 0 : outer % this.elements;
      this.thread[n] = this.elementAxis < 0 ? n : Math.floor(outer / this.elements) * inner + n % inner;
      this.place[n] = this.isPlane ? this.to.reduce((place, [, size], c) => place * size + this.at[c][n], 0)
        : this.isPlaced ? numberOf(this.grid, this.order.map(a => pointOf(this.from, n)[a])) : n;
      this.copy[n] = this.isPlane ? met[this.place[n]]++ : 0;
      this.copies = Math.max(this.copies, this.copy[n] + 1);
    }
    this.parts = this.copies * this.blocks;
    this.holders = new Int32Array(this.copies * (this.isPlane ? this.places : count)).fill(-1);
    this.held = new Int32Array(this.threads * this.elements).fill(-1);
    /* If the instruction reads only one copy, the others are in no grid. */
    for (let n = 0; n < count; n++) {
      if (!this.isChosen(n))
        continue;
      this.holders[this.copy[n] * this.holders.length / this.copies + this.place[n]] = n;
      this.held[this.thread[n] * this.elements + this.element[n]] = n;
    }
  }

  /* The coordinate of an entry along one axis of the target; its coordinates along all of them. */
  coordinate(axis, n) {
    return this.at[this.to.findIndex(([name]) => name === axis)][n];
  }
  target(n) {
    return this.at.map(values => values[n]);
  }

  /* Where an entry is in the grids: its part, row and column. */
  where(n) {
    const place = this.place[n], block = Math.floor(place / (this.rows * this.cols));
    return {
      part: this.copy[n] * this.blocks + block, block,
      row: Math.floor(place / this.cols) % this.rows, col: place % this.cols,
    };
  }

  /* The entry at a place of the grids, -1 if there is none. */
  entryAt(part, row, col) {
    if (part < 0 || part >= this.parts || row < 0 || row >= this.rows || col < 0 || col >= this.cols)
      return -1;
    return this.holders[(part * this.rows + row) * this.cols + col];
  }

  /* The entries in the same "row", or "col", as an entry, in all copies of its block. */
  lineOf(n, axis) {
    const {block, row, col} = this.where(n), found = [];
    for (let part = block; part < this.parts; part += this.blocks)
      for (let k = 0; k < (axis === "row" ? this.cols : this.rows); k++)
        found.push(axis === "row" ? this.entryAt(part, row, k) : this.entryAt(part, k, col));
    return found.filter(other => other >= 0);
  }

  /* The entries that a thread holds, in the order of elements. */
  entriesOf(thread) {
    return Array.from(this.held.subarray(thread * this.elements, (thread + 1) * this.elements))
      .filter(n => n >= 0);
  }

  /* All entries for the matrix element of entry n: its copies, or its places in Tensor Memory. */
  copiesOf(n) {
    const {block, row, col} = this.where(n), step = this.isPlaced ? 1 : this.blocks, found = [];
    for (let part = block % step; part < this.parts; part += step)
      found.push(this.entryAt(part, row, col));
    return found.filter(other => other >= 0);
  }

  /* The word of memory in which an entry begins; the bank of that word. */
  wordOf(n) {
    return Math.floor(this.at[0][n] * this.bits / WORD_BITS);
  }
  bankOf(n) {
    return bankOf(this.at[0][n], this.bits);
  }

  /* The entries of the same row, or column, that are in the same bank but in another word. */
  bankMates(n, axis) {
    return this.lineOf(n, axis).filter(other =>
      this.bankOf(other) === this.bankOf(n) && this.wordOf(other) !== this.wordOf(n));
  }

  /* The entries in the same 32 bits of memory, or of Tensor Memory, in the order in which they lie there. */
  wordMates(n) {
    const key = this.isMemory ? m => this.wordOf(m)
      : m => this.to.map(([name], c) => name === "bit" ? 0 : this.at[c][m]).join();
    const mates = [], own = key(n), last = this.at[this.at.length - 1];
    for (let m = 0; m < this.entries && !(this.isMemory && this.bits >= WORD_BITS); m++)
      if (key(m) === own)
        mates.push(m);
    return mates.sort((a, b) => last[a] - last[b]);
  }
}

/* The bank in which the element at an offset begins. Offsets are in elements of `bits` bits. */
const BANKS = 32, WORD_BITS = 32, LINE_BITS = BANKS * WORD_BITS;

function bankOf(offset, bits) {
  return Math.floor(offset * bits / WORD_BITS) % BANKS;
}
