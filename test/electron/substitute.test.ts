/** The substitute of Electron against electron.d.ts: every event that the app listens to, and that the substitute sends, exists there. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as substitute from './substitute.ts';

const root = join(import.meta.dirname, '..', '..');
const types = readFileSync(join(root, 'node_modules', 'electron', 'electron.d.ts'), 'utf8');

/** Returns the names of all events of a class or interface. */
function eventsOf(name: string): Set<string> {
  const from = types.search(new RegExp(`^  (class|interface) ${name} extends`, 'm'));
  const body = types.slice(from, types.indexOf('\n  }\n', from));
  return new Set([...body.matchAll(/ on\(event: '([^']+)'/g)].map(([, event = '']) => event));
}

const events = (text: string, call: RegExp) => [...text.matchAll(call)].map(([, event = '']) => event);

test('[X40] the app listens only to events of Electron', () => {
  const folder = join(root, 'electron');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const owners: Readonly<Record<string, string>> = {
    app: 'App',
    contents: 'WebContents',
    content: 'WebContents',
    page: 'WebContents',
    window: 'BaseWindow',
    tray: 'Tray',
    'own.cookies': 'Cookies',
  };
  let found = 0;
  for (const [variable, owner] of Object.entries(owners)) {
    const known = eventsOf(owner);
    assert.ok(known.size > 0, owner);
    for (const event of events(text, new RegExp(`(?<![\\w.])${variable}\\.on\\('([^']+)'`, 'g'))) {
      assert.ok(known.has(event), `${owner} has no event ${event}`);
      found++;
    }
  }
  assert.ok(found > 20, `${found} listeners were found`);
  assert.ok(eventsOf('Screen').has('display-added') && eventsOf('Screen').has('display-removed'));
});

test('[X40] the substitute sends only events of Electron, and has every name that the app imports', () => {
  const text = readFileSync(join(import.meta.dirname, 'substitute.ts'), 'utf8');
  const known = new Set(
    ['App', 'WebContents', 'BaseWindow', 'Cookies', 'Screen'].flatMap((name) => [...eventsOf(name)]),
  );
  const sent = events(text, /\.emit\('([^']+)'/g);
  assert.ok(sent.length > 8);
  for (const event of sent) assert.ok(known.has(event), event);
  const folder = join(root, 'electron');
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.ts'))) {
    const imports =
      /import (?!type)\{([^}]+)\} from 'electron'/.exec(readFileSync(join(folder, name), 'utf8'))?.[1] ?? '';
    for (const one of imports
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '' && !word.startsWith('type ')))
      assert.ok(one in substitute, `${name} imports ${one}`);
  }
});
