/** Takes the text out of a web page: its lines, and the rows of its tables. Scripts and styles are left out. */
import { type FileText, READ_BOUNDS } from './reading-types.ts';
import { linesOf } from './text-file.ts';

/** Elements whose content is no text of the page. A head has no other text than that of these. */
const LEFT_OUT = new Set(['title', 'script', 'style', 'noscript', 'template', 'svg', 'iframe', 'select', 'nav']);
/** Without an end tag, these go on to the end of the page. Of others, only the tag is left out: the rest may be text of the page. */
const UNENDING = new Set(['script', 'style']);
const CELLS = new Set(['td', 'th']);
/** Elements within a line. All others end it. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data dfn em font i img input kbd label mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', ndash: '–', mdash: '—', shy: '' },
  ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', ntilde: 'ñ', ccedil: 'ç' },
  ...{ aacute: 'á', eacute: 'é', iacute: 'í', oacute: 'ó', uacute: 'ú', agrave: 'à', egrave: 'è', ecirc: 'ê' },
  ...{ atilde: 'ã', otilde: 'õ', acirc: 'â', ocirc: 'ô', icirc: 'î', deg: '°', ordm: 'º', ordf: 'ª' },
};
const MOST_CODE = 0x10ffff;

const decoded = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole;
    const code = name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= MOST_CODE ? String.fromCodePoint(code) : '';
  });

export const isHtml = (head: string): boolean =>
  /^\s*(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(head);

const LONGEST_TAG = 300;
/** The columns of a cell of a table. */
const columnsOf = (tag: string): number =>
  Math.min(READ_BOUNDS.columns, Math.max(1, Number(/\bcolspan\s*=\s*["']?(\d{1,3})/i.exec(tag)?.[1] ?? 1)));

/** Goes through the page once, from tag to tag. */
export function readHtml(page: string): FileText {
  let text = '';
  let at = 0;
  let columns = 1;
  /** Elements that have no end tag in the rest of the page. */
  const unended = new Set<string>();
  while (at < page.length) {
    const open = page.indexOf('<', at);
    if (open < 0) break;
    text += decoded(page.slice(at, open).replace(/\s+/gu, ' '));
    if (page.startsWith('<!--', open)) {
      const end = page.indexOf('-->', open);
      at = end < 0 ? page.length : end + '-->'.length;
      continue;
    }
    const close = page.indexOf('>', open);
    if (close < 0) {
      at = page.length;
      break;
    }
    const [, slash = '', tag = ''] = /^<(\/?)([a-z0-9]+)/i.exec(page.slice(open, Math.min(close, open + 30))) ?? [];
    const name = tag.toLowerCase();
    at = close + 1;
    if (slash === '' && LEFT_OUT.has(name) && page[close - 1] !== '/') {
      const end = unended.has(name) ? -1 : page.slice(at).search(new RegExp(`</${name}\\b`, 'i'));
      if (end >= 0) at += end;
      else if (UNENDING.has(name)) at = page.length;
      else unended.add(name);
    } else if (CELLS.has(name)) {
      // A cell over several columns is one cell and empty ones, so that its row has as many as the others.
      if (slash === '') columns = columnsOf(page.slice(open, Math.min(close, open + LONGEST_TAG)));
      else text += '; '.repeat(columns);
    } else if (name !== '' && !INLINE.has(name)) text += '\n';
  }
  text += decoded(page.slice(at));
  const lines = text
    .split('\n')
    .map((line) => line.replace(/\s+/gu, ' ').replace(/; ?$/, '').trim())
    .filter((line) => /[^; ]/.test(line));
  return linesOf(lines.join('\n'));
}
