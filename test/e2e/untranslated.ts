/** Finds texts of a page that no language translates. */
import { hostname } from 'node:os';
import type { Page } from 'playwright';
import type { Client } from '#contract/client.ts';

/** Units, codes and names of time zones, which are the same in every language. */
const SAME =
  /\b(RT-\w+-\w+|rpm|km|bar|mbar|[kmh]?pa|rad|dbc|kB|kbit|can0|MQTT|HTTP|SD|CRC|MFE|MFM|Claude Code|kPa|psi|min|mph|gal|mi|ft|km\/h|L\/h|SPN|FMI|HT|EX|WL|DZ|WT|GR|LD|CAT|CA|QR|UTC|MB|MHz|Headframe|HEADFRAME_API_KEY|CSV|XLSX|PDF|JSON|MF4|TV|API|tv|SN|DM1|J1939|PGN|CAN|DEF|GNSS|FMI|English|Deutsch|SC|HTTPS?|https?|TLS|TCP|REST|MCP|DBC|GB|ms|Mon|Tue|Wed|Thu|Fri|Sat|Sun|vLLM|Anthropic|LHD|USD)\b|\b(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\/[\w/-]+|\d+ (?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)\b|\b(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec) \d+/g;
/** Texts that people typed, and machines got their names from. */
const PEOPLE = [
  'North Pit',
  'Pit 3',
  'Haul road',
  'Crusher feed',
  'Crusher',
  'Scan me',
  'https://example.org/m',
  'Blasting at 14:00 today. Clear the pit by 13:45.',
  // Tags of languages in a hint, and the names of rules.
  'en, pt, es',
  'Coolant too hot',
  'Coolant warm',
  'Red stop lamp',
  'Malfunction indicator lamp',
  // What a machine says about itself, and names of J1939 inside a sentence or a label.
  'CMMNS, QSK19',
  'Engine oil pressure 1',
  'Engine oil pressure',
  '[Transmission, áddréss',
  // A description of a site, and what forms and the names of the two ends show.
  'Everybody sang.',
  'canteen',
  'Day shift',
  'equipment:read devices:write',
  'https://head-office.example.com',
  'Quarry North',
  hostname(),
];
/** A text of a person in a script of its own, so that a test can tell it from a text of the page. */
export const TITLE = 'Название';

/**
 * Returns each text on the page with a word that has no accent, so that it was not translated. It leaves out texts that a page marks as kept
 * as they are (`data-as-is`), and returns a heading, a form or a table with this mark.
 */
export function untranslated(page: Page, root: string): Promise<string[]> {
  return page.evaluate(
    ([selector, same, people]) => {
      const found = new Set<string>();
      const look = (text: string, where: string) => {
        let left = text;
        for (const one of people as string[]) left = left.replaceAll(one, '');
        // The build id of the page, the marks of boxes and the ids of records have letters and digits.
        left = left
          .replace(/https?:\/\/\S+|\b(?:[\da-f]{8}|[\da-f]{12}|[a-z]+_\w{20,})\b/g, '')
          // Topics, folders, commands, frames and codes of errors are the same in every language.
          .replace(
            /v1\/devices\/[\w./-]*\w|\bheadframe\/\S+|npx headframe .*--now|\b[\dA-F]{8}#[\dA-F]+|\bE[A-Z]{5,}\b/g,
            '',
          )
          .replace(new RegExp(same as string, 'g'), '');
        if (left.split(/[^\p{L}]+/u).some((word) => /^[A-Za-z]{2,}$/.test(word))) found.add(`${where}: ${text.trim()}`);
      };
      // A part that is marked by mistake would hide all its texts from this search.
      for (const one of document.querySelectorAll(`${selector}[data-as-is], ${selector} [data-as-is]`))
        if (one.querySelector('h1, h2, h3, h4, form, table') !== null)
          found.add(`marked as kept: ${one.tagName}.${one.className}`);
      for (const element of document.querySelectorAll<HTMLElement>(`${selector}, ${selector} *`)) {
        if (
          element.closest(
            '[data-as-is], .layer:not(.shown), script, style, code, .setup-words, q, option[value*="/"], .mono, .code, .alert-raw',
          ) !== null
        )
          continue;
        for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
          const value = element.getAttribute(name);
          if (value !== null) look(value, name);
        }
        for (const node of element.childNodes) if (node.nodeType === 3) look(node.textContent ?? '', element.className);
      }
      return [...found];
    },
    [root, SAME.source, PEOPLE] as const,
  );
}

/** Gives tickets and rules titles that are no English. */
export async function renamePeoplesTexts(client: Client): Promise<void> {
  for (const { id } of (await client.call('repair_tickets_list', {})).data)
    await client.call('repair_tickets_update', { id, title: TITLE });
  for (const { id, revision } of (await client.call('alert_rules_list', {})).data)
    await client.call('alert_rules_update', { id, name: TITLE }, { if_match: revision });
}
