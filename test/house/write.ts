/** `npm run rooms`: writes what is made from rooms.ts, and lowers the known lengths to what they are now. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOMS } from '../../rooms.ts';
import { type Bound, type Known, overBounds } from './judge.ts';
import { isSame, made } from './made.ts';
import { readHouse } from './source.ts';

const root = join(import.meta.dirname, '..', '..');
for (const { path, text } of made(root, ROOMS))
  if (!isSame(path, readFileSync(join(root, path), 'utf8'), text)) writeFileSync(join(root, path), text);

const file = join(root, 'test/house/known.json');
const now = overBounds(readHouse(root));
if (existsSync(file)) {
  const known = JSON.parse(readFileSync(file, 'utf8')) as Known;
  for (const bound of Object.keys(now) as Bound[])
    for (const [place, length] of Object.entries(now[bound])) {
      const before = known[bound][place];
      if (before === undefined) delete now[bound][place];
      else now[bound][place] = Math.min(length, before);
    }
}
const sorted = Object.fromEntries(
  Object.entries(now).map(([bound, places]) => [bound, Object.fromEntries(Object.entries(places).toSorted())]),
);
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
