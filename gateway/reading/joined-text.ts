/** Puts the text of files below the description, and notes where each line of them stands. */
import { type JoinedText, MAX_SETUP_TEXT, type ReadGap } from '#contract/site/setup.ts';
import type { FileText, ReadLine } from './reading-types.ts';

/** An empty line ends a table and a list. */
const BETWEEN = '\n\n';
/** Characters of the name of a file in places and gaps. Each object of a plan has it. */
const LONGEST_FILE = 60;

export interface NamedText extends Pick<FileText, 'lines' | 'gaps'> {
  readonly name: string;
}

/** The text has at most `MAX_SETUP_TEXT` characters. What does not fit is a gap. */
export function joinTexts(description: string, files: readonly NamedText[]): JoinedText {
  const places: { at: string; runs: number[] }[] = [];
  const gaps: ReadGap[] = [];
  let text = description;
  for (const { name: whole, lines, gaps: own } of files) {
    const name = whole.length > LONGEST_FILE ? `${whole.slice(0, LONGEST_FILE - 1)}…` : whole;
    gaps.push(...own.map((gap) => ({ ...gap, file: name })));
    if (text !== '') text += BETWEEN;
    const fits = fittingLines(lines, MAX_SETUP_TEXT - text.length);
    const first = lines[fits];
    if (first !== undefined)
      gaps.push({
        code: 'file_part_not_read',
        file: name,
        message: `The description and its files have more than ${MAX_SETUP_TEXT} characters. The file was read up to ${endOf(lines.slice(0, fits))}.`,
        remedy:
          'Remove the columns and lines that say nothing about the site, or set up the site with one file after the other.',
      });
    let before: ReadLine | undefined;
    for (const [i, line] of lines.slice(0, fits).entries()) {
      if (i > 0) text += '\n';
      if (line.part !== '') {
        if (before?.part !== line.part) places.push({ at: `${name}, ${line.part}`, runs: [text.length, line.n] });
        else if (line.n !== before.n + 1) places.at(-1)?.runs.push(text.length, line.n);
      }
      before = line;
      text += line.text;
    }
  }
  return { text, places, gaps };
}

function endOf(lines: readonly ReadLine[]): string {
  const last = lines.findLast(({ part }) => part !== '');
  return last === undefined ? 'its beginning' : `${last.part} ${last.n}`;
}

/** Returns how many of the lines fit into `room` characters. */
function fittingLines(lines: FileText['lines'], room: number): number {
  let left = room;
  for (const [i, { text }] of lines.entries()) {
    left -= text.length + (i > 0 ? 1 : 0);
    if (left < 0) return i;
  }
  return lines.length;
}
