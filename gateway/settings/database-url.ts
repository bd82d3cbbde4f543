/** The address of the PostgreSQL database of head office. */

/** True for the address of a database in PostgreSQL. */
export function isPostgresUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1;
}

/** Returns the message for a site with an address of a database. */
export const siteDatabase = (name: string): string =>
  `${name} is for head office. A site keeps its database in its data folder, because it must work without a network. Start with --role cloud, or leave it out.`;
