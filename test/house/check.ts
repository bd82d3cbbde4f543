/** Part of `npm run check`: the house as it stands, against rooms.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOMS } from '../../rooms.ts';
import { judge, type Known } from './judge.ts';
import { isSame, made } from './made.ts';
import { readHouse } from './source.ts';

const root = join(import.meta.dirname, '..', '..');
const known = JSON.parse(readFileSync(join(root, 'test/house/known.json'), 'utf8')) as Known;
const found = judge(readHouse(root), ROOMS, known);
for (const { path, text } of made(root, ROOMS))
  if (!isSame(path, readFileSync(join(root, path), 'utf8'), text))
    found.push(`${path}: differs from rooms.ts; run npm run rooms`);
for (const line of found) process.stderr.write(`${line}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
