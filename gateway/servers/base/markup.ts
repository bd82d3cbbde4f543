/** Text inside markup. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as it stands in HTML and XML, between tags and in double quotes. */
export function escapeMarkup(plain: string): string {
  return plain.replace(/[&<>"]/g, (c) => ENTITIES[c] ?? c);
}
