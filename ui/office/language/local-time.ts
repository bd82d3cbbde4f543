/** Times by the clock of this browser, where no time zone of a site applies. */
import { language } from '#ui/languages/texts.ts';

/** Formats a time as "12 Nov, 14:07" in the language of the page. */
export const localTime = (at: string): string =>
  new Date(at).toLocaleString(language().tag, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
