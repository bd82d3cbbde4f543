/** Custom actions in the browser: made on the page of the agent, started on the pages that offer them, with a scripted model server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '#contract/client.ts';
import { addMachine, startGateway } from '#test/support/gateway.ts';
import { startModelServer } from '#test/support/model-server.ts';
import { until } from '#test/support/until.ts';
import { axeViolations, shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';

const DESK = { viewport: { width: 1440, height: 900 } } as const;
const PHONE = { width: 390, height: 844 } as const;

/** A model that answers when the test lets it. */
function heldModel(answer: string) {
  let held = Promise.withResolvers<void>();
  held.resolve();
  return {
    hold() {
      held = Promise.withResolvers();
    },
    release: () => held.resolve(),
    script: async () => {
      await held.promise;
      return { text: answer };
    },
  };
}

/** Changes the review configuration from its present revision. */
async function review(client: Client, id: string, change: object): Promise<void> {
  const { revision } = await client.call('review_configuration_get', { id });
  await client.call('review_configuration_update', { id, ...change }, { if_match: revision });
}

test('[U398] [U399] an admin makes an action from an example, and a machine offers it with the state of its run', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  const model = heldModel('The antenna of HT-07 is loose.');
  await using server = await startModelServer(model.script);
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const machine = await site.call('equipment_create', { unit_number: 'HT-07' });
  await using office = await chromium.open(`${gateway.node.http}/#agent`, DESK);
  const { page } = office;
  await signIn(page);

  // The empty list says what an action is, and an example fills the form.
  const list = page.getByRole('region', { name: 'Custom actions' });
  await list.getByText('No custom actions yet.').waitFor();
  await shot(page, 'actions-none');
  await list.getByRole('button', { name: 'Why is it silent?' }).click();
  const form = list.getByRole('form', { name: 'New action' });
  assert.equal(await form.getByLabel('Skill (optional)').inputValue(), 'why_silent');
  await form.getByLabel('Emoji').fill('A');
  await form.getByRole('button', { name: 'Create the action' }).click();
  await form.getByRole('alert').getByText('Enter one emoji').waitFor();
  await form.getByLabel('Emoji').fill('📡');
  await form.getByLabel('Page Now', { exact: true }).check();
  await shot(page, 'actions-form');
  assert.deepEqual(await axeViolations(page), []);
  await form.getByRole('button', { name: 'Create the action' }).click();
  await list.getByText('One machine · Page Now, Page of each machine').waitFor();
  await list.getByRole('note').getByText('No model is set, so rules do this work.').waitFor();
  assert.deepEqual(await axeViolations(page), []);

  // The machine says before the press that rules do the work, and after it what they answered.
  await page.goto(`${gateway.node.http}/#story/${machine.id}`);
  const offered = page.getByRole('region', { name: 'Actions', exact: true });
  await offered.getByRole('note').getByText('No model is set, so rules do this work.').waitFor();
  const button = offered.getByRole('button', { name: '📡 Why is it silent?' });
  await button.focus();
  await page.keyboard.press('Enter');
  await offered.getByText('Done', { exact: true }).waitFor();
  await offered.getByText('No model is set for this project, so rules answered.').waitFor();
  await offered.scrollIntoViewIfNeeded();
  await shot(page, 'actions-by-rules');

  // With a model: queued or running, and then the answer.
  await review(site, project.id, { provider: { kind: 'openai', url: server.url, model: 'scripted' } });
  model.hold();
  await button.click();
  await offered.getByText(/^(Waits in the queue|Runs now)$/).waitFor();
  await offered.getByText('Runs now', { exact: true }).waitFor();
  assert.ok(await button.isDisabled());
  assert.equal(await offered.getByRole('note').count(), 0);
  await shot(page, 'actions-running');
  model.release();
  await offered.getByText('Done', { exact: true }).waitFor();
  await offered.getByText('The antenna of HT-07 is loose.').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.emulateMedia({ colorScheme: 'light' });
  await shot(page, 'actions-done-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot(page, 'actions-done-dark');

  // After a reload the machine still shows the run, and the answer opens.
  await page.reload();
  await offered.getByText('Done', { exact: true }).waitFor();
  assert.equal(await offered.getByText('The antenna of HT-07 is loose.').count(), 0);
  await offered.getByText('Answer', { exact: true }).click();
  await offered.getByText('The antenna of HT-07 is loose.').waitFor();
  await page.setViewportSize(PHONE);
  assert.equal(await sticksOut(page), 0);
  await offered.scrollIntoViewIfNeeded();
  await shot(page, 'actions-phone');
  await page.setViewportSize(DESK.viewport);

  // A run that waits for an approval leads to its task.
  await review(site, project.id, { mode: 'review' });
  await button.click();
  await offered.getByText('Needs an approval', { exact: true }).waitFor();
  await offered.getByRole('note').getByText('Each run waits for an approval first').waitFor();
  await offered.getByRole('link', { name: 'Open the task' }).click();
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByRole('button', { name: 'Approve' }).click();
  await transcript.getByText('The antenna of HT-07 is loose.').waitFor();
  await list.getByText('Done', { exact: true }).waitFor();
  await shot(page, 'actions-list');
});

test('[U399] [U400] the page Now asks for the machine and the confirmation, also by keyboard, and starts once', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using server = await startModelServer(() => ({ text: 'All tanks are full.' }));
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  await addMachine(site, 'HT-07');
  await addMachine(site, 'HT-08');
  await review(site, project.id, { provider: { kind: 'openai', url: server.url, model: 'scripted' } });
  const shared = { emoji: '⛽', prompt: 'Fuel?', scope: 'equipment' } as const;
  await site.call('custom_actions_create', { ...shared, label: 'Fuel', placement: ['home'], confirm: true });
  await site.call('custom_actions_create', { ...shared, label: 'Only on tablets', placement: ['tablet'] });
  await site.call('custom_actions_create', { ...shared, label: 'Off', placement: ['home'], enabled: false });
  await using office = await chromium.open(`${gateway.node.http}/#now`, DESK);
  const { page } = office;
  const { secret } = await gateway.client.call('keys_create', { name: 'Cab', role: 'operator' });
  await signIn(page, secret);
  const offered = page.getByRole('region', { name: 'Actions', exact: true });
  const button = offered.getByRole('button', { name: '⛽ Fuel' });
  await button.waitFor();
  assert.equal(await offered.getByRole('listitem').count(), 1);

  // Escape closes the question, and the focus returns to the button.
  await button.focus();
  await page.keyboard.press('Enter');
  const question = offered.getByRole('alertdialog', { name: 'Start ⛽ Fuel?' });
  await question.waitFor();
  assert.ok(await question.getByRole('button', { name: 'Start' }).isDisabled());
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  assert.ok(await button.evaluate((node) => node === document.activeElement));
  await page.keyboard.press('Enter');
  await question.getByLabel('Machine').selectOption({ label: 'HT-08' });
  assert.deepEqual(await axeViolations(page), []);
  await shot(page, 'actions-question');

  // The first press reaches the gateway and its answer is lost. The second one starts nothing more.
  const tasks = async () => (await site.call('tasks_list', { kind: 'custom_action' })).data;
  await page.route('**/run', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await question.getByRole('button', { name: 'Start' }).click();
  await offered.getByText('Not started: the gateway does not answer.').waitFor();
  await until(async () => (await tasks()).length === 1, 'the gateway has the run');
  await page.unroute('**/run');
  await question.getByRole('button', { name: 'Start' }).click();
  await offered.getByText('Done', { exact: true }).waitFor();
  await offered.getByText('HT-08 ·').waitFor();
  await offered.getByText('All tanks are full.').waitFor();
  assert.deepEqual(
    (await tasks()).map(({ links }) => Object.keys(links)),
    [['custom_action_id', 'equipment_id']],
  );
  // An operator has no page of the agent, so no link leads there.
  assert.equal(await offered.getByRole('link').count(), 0);
  await page.setViewportSize(PHONE);
  assert.equal(await sticksOut(page), 0);
  await shot(page, 'actions-now-phone');
});

test('[U398] [U400] an action is changed and deleted, and two people do not overwrite each other; the map offers those of locations', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const { id: place } = await site.call('locations_create', { name: 'North wall', kind: 'pit' });
  const { id } = await site.call('custom_actions_create', {
    label: 'Dust',
    emoji: '🌫️',
    prompt: 'Dust?',
    scope: 'location',
  });
  await using office = await chromium.open(`${gateway.node.http}/#agent`, DESK);
  const { page } = office;
  await signIn(page);
  const list = page.getByRole('region', { name: 'Custom actions' });
  await list.getByText('One location · Only on this page').waitFor();
  // Without a model, rules do the work of one of two actions; the page says of which.
  const rules = { label: 'Day', emoji: '📋', prompt: 'Day?', scope: 'project', skill_id: 'daily_summary' } as const;
  const { id: day } = await site.call('custom_actions_create', rules);
  await list.getByRole('note').getByText('📋 Day: No model is set, so rules do this work.').waitFor();
  await list
    .getByRole('note')
    .getByText(/^🌫️ Dust: No model is set, so each run fails at once\./)
    .waitFor();
  await site.call('custom_actions_delete', { id: day });
  await list.getByText('📋 Day').first().waitFor({ state: 'detached' });
  await list.getByRole('button', { name: 'Edit Dust' }).click();
  const form = list.getByRole('form', { name: 'Dust' });
  await site.call('custom_actions_update', { id, order: 3 });
  await form.getByLabel('Name on the button').fill('Dust check');
  await form.getByLabel('Page Map').check();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('another person changed this action').waitFor();
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('another person changed this action').waitFor();
  assert.equal((await site.call('custom_actions_get', { id })).label, 'Dust');
  await shot(page, 'actions-stale');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await list.getByRole('button', { name: 'Edit Dust' }).click();
  assert.equal(await form.getByLabel('Position').inputValue(), '3');
  await form.getByLabel('Name on the button').fill('Dust check');
  await form.getByLabel('Page Map').check();
  await form.getByRole('button', { name: 'Save' }).click();
  await list.getByText('One location · Page Map').waitFor();

  await page.goto(`${gateway.node.http}/#map`);
  const offered = page.getByRole('region', { name: 'Actions', exact: true });
  await offered.getByRole('button', { name: '🌫️ Dust check' }).click();
  await offered.getByLabel('Location').selectOption({ label: 'North wall' });
  await offered.getByRole('button', { name: 'Start' }).click();
  await offered.getByText('Failed', { exact: true }).waitFor();
  const [task] = (await site.call('tasks_list', { kind: 'custom_action' })).data;
  assert.equal(task?.links.location_id, place);

  await page.goto(`${gateway.node.http}/#agent`);
  await list.getByRole('button', { name: 'Delete Dust check' }).click();
  await list.getByText('Its tasks stay.').waitFor();
  await list.getByRole('button', { name: 'Delete now Dust check' }).click();
  await list.getByText('No custom actions yet.').waitFor();
  assert.deepEqual((await site.call('custom_actions_list', {})).data, []);
});

test('[U401] [U402] an admin names approvers and tools, and a task shows the action and the settings as they were at its start', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using server = await startModelServer(() => ({ text: 'None.' }));
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  const made = await gateway.client.call('keys_create', { name: 'Shift boss', role: 'supervisor' });
  const { key, secret } = made;
  await gateway.client.call('keys_create', { name: 'Cab', role: 'operator' });
  await review(site, project.id, { provider: { kind: 'openai', url: server.url, model: 'scripted' } });
  await using office = await chromium.open(`${gateway.node.http}/#agent`, DESK);
  const { page } = office;
  await signIn(page);
  const approvers = page.getByRole('group', { name: 'Approvers' });
  await approvers.getByLabel('Shift boss').check();
  assert.equal(await approvers.getByRole('checkbox').count(), 1);
  await page.getByText('Allowed tools', { exact: true }).click();
  const tools = page.getByLabel('Names of tools');
  await tools.fill('equipment_list\nequipment_lost');
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await page.getByRole('alert').getByText('There is no tool equipment_lost.').waitFor();
  await tools.fill('equipment_list, remember_fact\nequipment_list');
  await page.getByLabel('The agent', { exact: true }).selectOption('review');
  await save.click();
  const stored = () => site.call('review_configuration_get', { id: project.id });
  await until(async () => (await stored()).allowed_tools !== null, 'the settings are stored');
  const { approvers: named, allowed_tools, mode } = await stored();
  assert.deepEqual([named, allowed_tools, mode], [[key.id], ['equipment_list', 'remember_fact'], 'review']);
  await approvers.getByLabel('Shift boss').waitFor();
  assert.deepEqual(await axeViolations(page), []);
  await page.getByRole('heading', { name: 'Model', exact: true }).scrollIntoViewIfNeeded();
  await shot(page, 'agent-approvers');

  // The task keeps the prompt of the action and the approvers of that time.
  const { id } = await site.call('custom_actions_create', { label: 'Fuel', emoji: '⛽', prompt: 'Which need fuel?' });
  const task = await site.call('custom_actions_run', { id });
  await site.call('custom_actions_update', { id, prompt: 'Which need oil?' });
  await review(site, project.id, { approvers: [key.id], allowed_tools: null });
  await page.goto(`${gateway.node.http}/#agent/${task.id}`);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  const kept = transcript.locator('details');
  await kept.getByText('As it was at the start').click();
  await kept.getByText('Which need fuel?').waitFor();
  await kept.getByText('Shift boss').waitFor();
  await kept.getByText('equipment_list, remember_fact').waitFor();
  await kept.getByText('Action, revision 1').waitFor();
  const { run } = await site.call('tasks_get', { task_id: task.id });
  for (const { hash } of run?.pins ?? []) await kept.getByText(hash ?? 'no hash').waitFor();
  assert.equal(run?.pins.length, 2);
  assert.deepEqual(await axeViolations(page), []);
  await transcript.scrollIntoViewIfNeeded();
  await shot(page, 'task-pins');
  await page.setViewportSize(PHONE);
  assert.equal(await sticksOut(page), 0);
  await shot(page, 'task-pins-phone');

  // The supervisor reads the settings, and approves.
  await using other = await chromium.open(`${gateway.node.http}/#agent/${task.id}`, DESK);
  await signIn(other.page, secret);
  const theirs = other.page.getByRole('region', { name: 'Transcript' });
  await theirs.getByRole('button', { name: 'Approve' }).waitFor();
  await other.page.getByText('Those of the default list').waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Save' }).count(), 0);
  await theirs.getByRole('button', { name: 'Approve' }).click();
  await theirs.getByText('None.').waitFor();
});

test('[U399] a shared tablet offers the actions for tablets on its page Now, and not those of other screens', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using server = await startModelServer(() => ({ text: 'Two machines need fuel.' }));
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const site = gateway.project(project.id);
  await review(site, project.id, { provider: { kind: 'openai', url: server.url, model: 'scripted' } });
  const shared = { emoji: '⛽', prompt: 'Fuel?', scope: 'project' } as const;
  await site.call('custom_actions_create', { ...shared, label: 'Fuel', placement: ['tablet'] });
  await site.call('custom_actions_create', { ...shared, label: 'Only on other screens', placement: ['home'] });
  const { url } = await site.call('tablets_create', { name: 'Gate', roles: ['mechanic'] });
  const { id } = await site.call('users_create', { name: 'Olaf', role: 'mechanic' });
  const { pin } = await site.call('users_pin_reset', { id });
  await using tablet = await chromium.open(url, { viewport: { width: 1024, height: 768 } });
  const { page } = tablet;
  await page.getByRole('button', { name: 'Enrol this tablet' }).click();
  await page.getByRole('button', { name: 'Olaf' }).click();
  await page.keyboard.type(pin);
  for (const text of ['Choose your own PIN', 'Enter your new PIN again']) {
    await page.getByText(text).waitFor();
    await page.keyboard.type('730164');
  }
  await page.getByRole('link', { name: 'Now', exact: true }).click();
  const offered = page.getByRole('region', { name: 'Actions', exact: true });
  await offered.getByRole('button', { name: '⛽ Fuel' }).click();
  await offered.getByText('Two machines need fuel.').waitFor();
  assert.equal(await offered.getByRole('listitem').count(), 1);
  assert.equal(await sticksOut(page), 0);
  await shot(page, 'actions-tablet');
});
