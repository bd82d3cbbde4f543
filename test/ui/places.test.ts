/** The places of the office: each link leads to one, and an address opens the most exact one. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addressOf, GROUPS, placeOf as inPlaces, PLACES } from '#ui/office/places.ts';

const placeOf = (address: string) => inPlaces(address, PLACES);

const OFFICE = join(import.meta.dirname, '..', '..', 'ui', 'office');

/** Returns the addresses of the links in the sources of the office, with `x` for each value. */
function addresses(): Set<string> {
  const found = new Set<string>();
  for (const name of readdirSync(OFFICE, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name)) continue;
    const text = readFileSync(join(OFFICE, name), 'utf8');
    for (const [, , quoted = ''] of text.matchAll(/(?:href=\{?|hash = |: )(["'`])#([a-z][^"'`]*)\1/g))
      found.add(quoted.replaceAll(/\$\{[^}]*\}/g, 'x'));
  }
  return found;
}

/** Addresses of the pages before the office, which `enter` reads. */
const BEFORE = new Set(['claim', 'replace']);

test('[U361] each page of the navigation and each link of the office leads to a place in the table', () => {
  for (const page of GROUPS.flatMap(([, pages]) => pages.map(([id]) => id))) assert.equal(placeOf(page), page);
  const links = [...addresses()].filter((one) => !BEFORE.has(one));
  assert.ok(links.length > 30, `${links.length} links were found`);
  for (const link of links) assert.deepEqual([link, addressOf(link, PLACES)], [link, link]);
});

test('[U361] an address opens the most exact place, an unknown part of a page that page, and an unknown page Machines', () => {
  assert.equal(placeOf('alerts/rules'), 'alerts/rules');
  assert.equal(placeOf('alerts/rules/new'), 'alerts/rules/new');
  assert.equal(placeOf('alerts/rules/rul_1'), 'alerts/rules/:rule');
  assert.equal(placeOf('alerts/eq_1'), 'alerts/:machine');
  assert.equal(placeOf('story/eq_1/24h/fuel.level'), 'story/:story');
  assert.equal(placeOf('tickets/machine/eq_1'), 'tickets/machine/:machine');
  for (const [asked, opens] of [
    ['screens/plans', 'screens'],
    ['screens/playlists', 'screens'],
    ['screens/playlists/pl_1', 'screens/playlists/pl_1'],
    ['site/nonsense/more', 'site'],
    ['nonsense', 'machines'],
    ['nonsense/now', 'machines'],
    ['', 'machines'],
  ] as const)
    assert.equal(addressOf(asked, PLACES), opens);
  assert.equal(new Set(PLACES).size, PLACES.length);
});
