/** The page of the agent in the browser, with a scripted model server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U197] an admin sets the model server, asks the agent, reads what it did, and approves a task that waits', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using model = await startModelServer((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { text: 'There is one machine: HT-07.' }
      : { calls: [{ name: 'equipment_list', input: {} }] },
  );
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  await addMachine(gateway.project(project.id), 'HT-07');
  await using office = await chromium.open(`${gateway.node.http}/#agent`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  await page.getByRole('heading', { name: 'Agent', exact: true }).waitFor();

  // Without a model the page says which setting is missing.
  await page.getByRole('button', { name: 'Try it' }).click();
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript
    .getByText(/no model/i)
    .first()
    .waitFor();
  await shot(page, 'agent-none');

  await page.getByLabel('Address').fill(model.url);
  await page.getByLabel('Model', { exact: true }).fill('scripted');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await transcript.getByText('There is one machine: HT-07.').waitFor();
  await transcript.getByText('Uses equipment_list').waitFor();
  await shot(page, 'agent-desk');
  assert.equal(await sticksOut(page), 0);
  assert.deepEqual(await axeViolations(page), []);

  await page.getByLabel('The agent').selectOption('review');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await transcript.getByText('There is one machine: HT-07.').waitFor();

  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'agent-phone');
  assert.equal(await sticksOut(page), 0);
});
