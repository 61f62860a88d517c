// Grids of numbers that move from one picture to the next, though they need not have as many cells.

/** @typedef {Record<string, Packed>} Grids by name */

/**
 * Between two grids, at t from 0 to 1, in the cells of the finer: those of the coarser are repeated.
 * @type {(a: Packed, b: Packed, t: number) => Packed}
 */
export function gridBetween(a, b, t) {
  const [rows, columns] = a.shape.map((count, axis) => Math.max(count, b.shape[axis]));
  const [left, right] = [a, b].map((grid) => cellsAt(grid, rows, columns));
  const values = new Float64Array(rows * columns);
  for (let i = 0, n = 0; i < rows; i++)
    for (let j = 0; j < columns; j++, n++) {
      const [from, to] = [a.values[left(i, j)], b.values[right(i, j)]];
      values[n] = from + t * (to - from);
    }
  return { shape: [rows, columns], values };
}

/** Where a grid has the value of a cell among so many. @type {(grid: Packed, rows: number, columns: number) => (i: number, j: number) => number} */
function cellsAt({ shape: [high, wide] }, rows, columns) {
  const down = Array.from({ length: rows }, (_, i) => wide * Math.floor((i * high) / rows));
  const across = Array.from({ length: columns }, (_, j) => Math.floor((j * wide) / columns));
  return (i, j) => down[i] + across[j];
}

/** Whether any that both have is another. @type {(a: Grids, b: Grids) => boolean} */
export const gridsDiffer = (a, b) =>
  Object.keys(b).some((name) => {
    const [start, end] = [a[name]?.values, b[name].values];
    return start && (start.length !== end.length || end.some((x, i) => x !== start[i]));
  });
