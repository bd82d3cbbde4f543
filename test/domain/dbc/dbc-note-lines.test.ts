import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withLines } from '#domain/dbc/note-lines.ts';
import { parseDbc } from '#domain/dbc/parse.ts';

const LONG = 'A'.repeat(60);
const TEXT = `VERSION ""

NEW_SECTION_ 1 2;
BO_ 1 First: 8 X
 SG_ Twice : 0|8@1+ (1,0) [0|0] "" X
 SG_ Twice : 8|8@1+ (1,0) [0|0] "" X
 SG_ Outside : 60|8@1+ (1,0) [0|0] "" X
 SG_ NoFloat : 16|8@1+ (1,0) [0|0] "" X
BO_ 1 Again: 8 X
 SG_ Outside : 0|8@1+ (1,0) [0|0] "" X
BO_ 2 Second: 8 X
 SG_ PageA M : 0|8@1+ (1,0) [0|0] "" X
 SG_ PageB M : 8|8@1+ (1,0) [0|0] "" X
 SG_ Some m1 : 16|8@1+ (1,0) [0|0] "" X
BO_ 3 Third: 8 X
 SG_ Lost m1 : 16|8@1+ (1,0) [0|0] "" X
BO_ 4095 Wide: 8 X
BO_ 4 ${LONG}: 9999 X
CM_ BO_ 77 "nobody";
SIG_VALTYPE_ 1 NoFloat : 1;
`;

test('[D135] withLines puts the line number before every kind of note', () => {
  const { notes } = parseDbc(TEXT);
  const found = withLines(notes, TEXT).map((note) => [
    /^line (\d+): /.exec(note)?.[1],
    note.replace(/^line \d+: /, ''),
  ]);
  assert.deepEqual(
    found.map(([line, note]) => [Number(line), note]),
    [
      [3, 'section NEW_SECTION_ is unknown and was skipped'],
      [6, 'signal Twice of First has the name of an earlier one and was left out'],
      [7, 'signal Outside of First ends after its message and was left out'],
      [9, 'message Again has the identifier of an earlier one and was left out'],
      [17, 'message Wide has an identifier that no frame can have and was left out'],
      [18, `message ${'A'.repeat(39)}… is longer than 1785 bytes and was left out`],
      [19, 'a section refers to message 77, which does not exist'],
      [8, 'signal NoFloat of First has a float type that does not fit 8 bits and was left out'],
      [11, 'message Second has several multiplexors; signals that name none of them use the first'],
      [16, 'signal Lost of Third has no multiplexor and was left out'],
    ],
  );
});

test('[D135] a note whose line is not found stays unchanged', () => {
  assert.deepEqual(withLines(['message Gone is longer than 1785 bytes and was left out', 'else'], TEXT), [
    'message Gone is longer than 1785 bytes and was left out',
    'else',
  ]);
});
