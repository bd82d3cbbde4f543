/**
 * Aligns rows in columns under their titles. `sides` has one character for each column; the character `r` aligns the column to the right.
 */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], sides = ''): string {
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const draw = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (sides[i] === 'r' ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map(draw).join('\n');
}
