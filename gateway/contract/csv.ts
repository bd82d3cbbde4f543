/** Lines of a CSV file (RFC 4180) for spreadsheets. Text that a spreadsheet would execute as a formula is changed. */

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Puts an apostrophe before text that a spreadsheet would execute as a formula (OWASP, "CSV Injection"). Numbers are not changed. */
function harmless(text: string): string {
  return /^\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}

/** Returns one line of a CSV file (RFC 4180) with these values. A null or absent value is an empty cell. */
export function csvLine(values: readonly unknown[]): string {
  const cells = values.map(cell);
  return `${cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',')}\r\n`;
}
