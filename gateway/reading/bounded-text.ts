/** Cuts what a file says, before the thread that reads it returns it: the main thread copies it, and stores it with the setup. */
import { MAX_SETUP_TEXT } from '#contract/site/setup.ts';
import { type FileText, type PartGap, READ_BOUNDS, type ReadLine } from './reading-types.ts';

/** Removes control characters and halves of characters. Stored as JSON they are six times as long. */
const plain = (text: string): string => text.replace(/(?!\t)\p{Cc}/gu, ' ').toWellFormed();

/**
 * Returns the text with at most one line more than a setup can read, so that the caller sees that lines are missing. A gap says how many
 * lines of a text were left out.
 */
export function boundedText({ lines, gaps, isTable }: FileText): FileText {
  const kept: ReadLine[] = [];
  let left = MAX_SETUP_TEXT;
  for (const { text, part, n } of lines.slice(0, READ_BOUNDS.lines)) {
    const line = plain(text.slice(0, MAX_SETUP_TEXT + 1));
    kept.push({ text: line, part: plain(part), n });
    left -= line.length + 1;
    // The last line needs no line end, so the lines are too long only below -1.
    if (left < -1) break;
  }
  const cut: PartGap[] =
    left >= -1 && kept.length < lines.length
      ? [
          {
            code: 'file_part_not_read',
            message: `The file has ${lines.length} lines. Only the first ${READ_BOUNDS.lines} were read.`,
            remedy: 'Remove empty lines, and lines that say nothing about the site.',
          },
        ]
      : [];
  return {
    lines: kept,
    gaps: [...cut, ...gaps]
      .slice(0, READ_BOUNDS.gaps)
      .map((gap) => ({ ...gap, message: plain(gap.message).slice(0, READ_BOUNDS.message) })),
    isTable,
  };
}
