/** The page of the agent in the browser, with a scripted model server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

test('[U197] [AG64] an admin sets the model server, asks the agent, reads what it did, and approves a task that waits', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  const evidence = [{ source: 'equipment_list', excerpt: 'fuel 98 %' }];
  const fact = { name: 'remember_fact', input: { fact: 'Night shift fuels at 02:00.', evidence } };
  await using model = await startModelServer((request) =>
    request.messages.some(({ content }) => content === 'Learn')
      ? request.messages.some(({ role }) => role === 'tool')
        ? { text: 'Remembered.' }
        : { calls: [fact] }
      : request.messages.some(({ role }) => role === 'tool')
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

  await page.getByLabel('The agent', { exact: true }).selectOption('review');
  await page.getByText('Prices and limits').click();
  await page.getByLabel('Price of a million input tokens').fill('3');
  await page.getByLabel('Price of a million output tokens').fill('12.5');
  await page.getByLabel('Largest cost of one run').fill('0.5');
  await page.getByLabel('Largest number of tokens of one run').fill('20000');
  await page.getByRole('button', { name: 'Save' }).click();
  const stored = () => gateway.client.call('review_configuration_get', { id: project.id });
  await until(async () => (await stored()).mode === 'review', 'the settings are stored');
  const { provider, spend_cap_usd, token_budget } = await stored();
  assert.deepEqual(
    [provider?.input_usd_per_mtok, provider?.output_usd_per_mtok, spend_cap_usd, token_budget],
    [3, 12.5, 0.5, 20_000],
  );
  // Another model has other prices: the old ones would make a wrong cost.
  const price = page.getByLabel('Price of a million input tokens');
  await page.getByLabel('Model', { exact: true }).fill('other');
  assert.equal(await price.inputValue(), '');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A spend cap needs both prices of the provider').waitFor();
  await page.getByLabel('Model', { exact: true }).fill('scripted');
  await page.getByLabel('Largest cost of one run').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(async () => (await stored()).provider?.input_usd_per_mtok === null, 'the prices are gone');
  assert.deepEqual(await axeViolations(page), []);
  await shot(page, 'agent-costs');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await transcript.getByText('There is one machine: HT-07.').waitFor();

  // The list of learnings says what they are while there are none, and then shows a fact with its evidence.
  const learned = page.getByRole('region', { name: 'What the agent learned' });
  await learned.getByText('No run has learned anything yet.').waitFor();
  await page.getByLabel('The agent', { exact: true }).selectOption('auto');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('It may').selectOption('write');
  await page.getByLabel('Prompt').fill('Learn');
  await page.getByRole('button', { name: 'Try it' }).click();
  await transcript.getByText('Remembered.').waitFor();
  await page.reload();
  await learned.getByText('Night shift fuels at 02:00.').waitFor();
  await learned.getByText('equipment_list: “fuel 98 %”').waitFor();
  assert.deepEqual(await axeViolations(page), []);

  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, 'agent-phone');
  assert.equal(await sticksOut(page), 0);
});

test('[AG32] [AG45] a person lets the agent plan first, and takes back what it did after the page has said what will happen', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using model = await startModelServer((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { text: 'HT-07 is down, and has a ticket.' }
      : {
          calls: [
            { name: 'equipment_update', input: { id: 'HT-07', status: 'down', reason: 'Leak' } },
            { name: 'repair_tickets_create', input: { title: 'Leak', equipment_id: 'HT-07' } },
            { name: 'equipment_append_event', input: { id: 'HT-07', type: 'note', data: { text: 'Seen' } } },
          ],
        },
  );
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const machine = await site.call('equipment_create', { unit_number: 'HT-07' });
  const provider = { kind: 'openai', url: model.url, model: 'scripted' } as const;
  await site.call('review_configuration_update', { id: project.id, provider }, { if_match: 0 });
  await using office = await chromium.open(`${gateway.node.http}/#agent`, { viewport: { width: 1440, height: 900 } });
  const { page } = office;
  await signIn(page);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  const status = async () => (await site.call('equipment_get', { id: machine.id })).status;

  await page.getByLabel('It may').selectOption('plan');
  await page.getByRole('button', { name: 'Try it' }).click();
  await transcript.getByText('HT-07 is down, and has a ticket.').waitFor();
  await transcript.getByText('this run only plans').first().waitFor();
  assert.equal(await status(), 'available');
  await shot(page, 'agent-plan');

  await page.getByLabel('It may').selectOption('write');
  await page.getByRole('button', { name: 'Try it' }).click();
  await transcript.getByText('HT-07 is down, and has a ticket.').waitFor();
  // The transcript of the plan has the same words; this one is there when the machine has changed.
  await transcript.getByText('"status":"flagged"').first().waitFor();
  assert.equal(await status(), 'down');
  await transcript.getByRole('button', { name: 'Undo' }).click();
  const question = transcript.getByRole('alertdialog');
  await question.getByText('Gets its earlier values back: status.').waitFor();
  await question.getByText('Is taken out of use: status.').waitFor();
  await question.getByText('Stays: Entries of a log stay.').waitFor();
  await question.getByText('An undo does not take back recorded services').waitFor();
  const named = await question.getByText(/^Run: run_/).textContent();
  assert.equal(await status(), 'down');
  await shot(page, 'agent-undo-question');
  assert.deepEqual(await axeViolations(page), []);
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/undo'));
  await question.getByRole('button', { name: 'Take back' }).click();
  assert.equal(`Run: ${(await asked).postDataJSON().run_id}`, named);
  await transcript.getByText('Restored HT-07 (status).').waitFor();
  assert.equal(await status(), 'available');
  const [ticket] = (await site.call('repair_tickets_list', {})).data;
  assert.equal(ticket?.status, 'canceled');
  await shot(page, 'agent-undone');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await sticksOut(page), 0);
});
