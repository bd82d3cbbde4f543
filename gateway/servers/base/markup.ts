/** Escapes text for HTML and XML. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for HTML and XML, between tags and in double quotes. */
export function escapeMarkup(plain: string): string {
  return plain.replace(/[&<>"]/g, (c) => ENTITIES[c] ?? c);
}
