/** Finds the line of a DBC file to which each note of the parser refers, so that a person can find it in an editor. */

const escaped = (name: string): string => {
  const text = (one: string) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return name.endsWith('…') ? `${text(name.slice(0, -1))}\\S*` : text(name);
};
const messageNamed = (name: string): RegExp =>
  new RegExp(`^[ \\t]*BO_[ \\t]+\\d+[ \\t]+${escaped(name)}[ \\t]*:`, 'gm');
const signalNamed = (name: string): RegExp => new RegExp(`^[ \\t]*SG_[ \\t]+${escaped(name)}[ \\t:]`, 'gm');
const ANY_MESSAGE = /^[ \t]*BO_[ \t]+\d/gm;

/** Returns the offsets of all matches of a pattern from `from` up to, not including, `to`. */
function placesOf(pattern: RegExp, text: string, from = 0, to = text.length): number[] {
  const places: number[] = [];
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null && found.index < to; found = pattern.exec(text))
    places.push(found.index);
  return places;
}

/**
 * Chooses the place in the file to which a note refers. If a name or identifier occurs twice in the file, the parser has left out the
 * second one, so the note refers to the last place.
 */
const chosen = (places: readonly number[], note: string): number | undefined =>
  note.includes('of an earlier one') ? places.at(-1) : places[0];

function signalAt(text: string, signal: string, message: string, note: string): number | undefined {
  const places = placesOf(messageNamed(message), text).flatMap((at) => {
    const [next = text.length] = placesOf(ANY_MESSAGE, text, at + 1);
    return placesOf(signalNamed(signal), text, at, next);
  });
  return chosen(places, note);
}

/**
 * The texts of notes for which the line can be found. Each text has a function that finds the offset of the line; its arguments are the
 * captured groups of the pattern.
 */
const SHAPES: readonly (readonly [
  shape: RegExp,
  find: (text: string, note: string, ...names: string[]) => number | undefined,
])[] = [
  [/^signal (\S+) of (\S+) /, (text, note, signal = '', message = '') => signalAt(text, signal, message, note)],
  [/^message (\S+) /, (text, note, name = '') => chosen(placesOf(messageNamed(name), text), note)],
  [
    /^section (\S+) is unknown/,
    (text, _, name = '') => placesOf(new RegExp(`^[ \\t]*${escaped(name)}(?!\\w)`, 'gm'), text)[0],
  ],
  [
    /message (\d+), which does not exist$/,
    (text, _, id) => placesOf(new RegExp(`^(?![ \\t]*BO_[ \\t]).*[ \\t]${id}[ \\t]`, 'gm'), text)[0],
  ],
];

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', end + 1)) line++;
  return line;
}

/** Adds `line N: ` in front of each note for which it finds the line. */
export function withLines(notes: readonly string[], text: string): string[] {
  return notes.map((note) => {
    for (const [shape, find] of SHAPES) {
      const found = shape.exec(note);
      const at = found === null ? undefined : find(text, note, ...found.slice(1));
      if (at !== undefined) return `line ${lineOf(text, at)}: ${note}`;
    }
    return note;
  });
}
