/** Two boxes with one identity: a person at head office sees both and keeps the one that was fenced, with a mouse and on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/support/until.ts';
import type { End } from '#test/sync/ends.ts';
import { twoBoxes } from '#test/sync/two-boxes.ts';
import { axeViolations, shot, sizesThatStickOut, withoutBrowser } from './browser.ts';
import { DESK, openOffice } from './shared-browser.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const urlOf = ({ port }: End): string => `http://127.0.0.1:${port}`;

test('[U245] the page Sites shows both boxes with one identity, says what a choice does, and keeps the one that a person chooses', {
  skip: withoutBrowser,
}, async () => {
  await using boxes = await twoBoxes();
  const { cloud, counting, alone } = boxes;
  let [fenced, other] = [alone, counting];
  for (const size of [DESK, PHONE]) {
    const name = size === DESK ? 'desk' : 'phone';
    const mark = (await fenced.status()).box?.mark ?? '';
    await using office = await openOffice(urlOf(cloud), 'head-office', size);
    const { page } = office;
    const panel = page.getByRole('region', { name: 'Boxes of Quarry North' });
    await panel.getByRole('heading', { name: `Box ${mark} is fenced` }).waitFor();
    await panel.getByRole('heading', { name: /^Box [0-9a-f]{8} is the site$/ }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(await sizesThatStickOut(page, `two-boxes-${name}`), []);
    const keep = panel.getByRole('button', { name: `Keep this one with the mark ${mark}` });
    await keep.click();
    const dialog = page.getByRole('dialog', { name: `Keep the box ${mark}` });
    await dialog.getByText('What it has not sent stays on its disk.').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await shot(page, `two-boxes-${name}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await keep.click();
    await dialog.getByRole('button', { name: 'Keep this one' }).click();
    await fenced.inStep();
    await other.client(boxes.project).call('equipment_create', { unit_number: `HT-${name}` });
    await until(async () => (await other.status()).state === 'fenced', 'the other box is fenced');
    await panel.getByRole('heading', { name: `Box ${mark} is the site` }).waitFor({ timeout: 120_000 });
    [fenced, other] = [other, fenced];
  }
});
