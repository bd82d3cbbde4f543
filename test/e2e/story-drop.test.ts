/** A file that a person drops on the page of a machine: each end of its decoding has a true sentence, and says what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { until } from '#test/support/until.ts';
import { signIn, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A candump log of the last hours. */
function log(frames: number): string {
  const from = Date.now() / 1_000 - 7_200;
  return Array.from(
    { length: frames },
    (_, i) => `(${(from + i / 100).toFixed(6)}) can0 0CF00400#F07D84B01300F084\n`,
  ).join('');
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  await page
    .locator('.story-drop input[type="file"]')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}

test('[U373] [U395] the note on a dropped file ends when it is no log, when its run was canceled or failed, and when its run is gone', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const client = gateway.project(project.id);
  const machine = await addMachine(client, 'HT-01');
  await using office = await chromium.open(`${gateway.node.http}/#story/${machine.equipment_id}`, {
    viewport: { width: 1440, height: 900 },
  });
  const { page } = office;
  await signIn(page);
  const note = page.locator('.story-drop');
  const again = note.getByRole('link', { name: 'Decode it again on the page of the logger.' });

  await drop(page, 'notes.pdf', '%PDF-1.7 no log at all');
  await note.getByText('notes.pdf is on the gateway, but it is no log file that the gateway can decode.').waitFor();

  await drop(page, 'broken.mf4', 'MDF     4.10    x');
  await note.getByText(/broken\.mf4 was not decoded: /).waitFor();
  assert.equal(await again.count(), 1, 'a file that failed says where to decode it again');

  // A long log, so that the person cancels its run while it is decoded.
  await drop(page, 'long.log', log(400_000));
  let task_id = '';
  await until(async () => {
    const { data } = await client.call('artifacts_list', { limit: 20 });
    task_id = data.find(({ name }) => name === 'long.log')?.decode_task_id ?? '';
    return task_id !== '';
  }, 'the gateway has the log');
  await client.call('tasks_cancel', { task_id });
  await note.getByText('The decoding of long.log was canceled.').waitFor();
  await again.click();
  const row = page.getByRole('row', { name: /^long\.log/ });
  await row.getByText('canceled').waitFor();
  await row.getByRole('button', { name: 'Decode again' }).waitFor();

  await page.goBack();
  // The gateway deletes a run after its time, which is longer than a test.
  const message = 'The task of this file is deleted.';
  await page.route('**/api/v1/tasks/*', (route) =>
    route.fulfill({ status: 410, json: { error: { code: 'past_retention', type: 'not_found_error', message } } }),
  );
  await drop(page, 'old.log', log(10));
  await note.getByText('old.log is on the gateway. How its decoding ended is not known any more.').waitFor();
  assert.equal(await again.count(), 1);
  assert.equal(await note.getByText('It is decoded now').count(), 0);
});
