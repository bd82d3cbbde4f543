/** The kiosk: chosen display, no sleep, restart after a hang, exit by PIN. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBrowser } from '#test/e2e/browser.ts';
import { sharedBrowser } from '#test/e2e/shared-browser.ts';
import { until } from '#test/support/until.ts';
import { type Desktop, startDesktop } from './desktop.ts';
import { screen, type WebContents } from './substitute.ts';

const skip = withoutBrowser;
const backoff = { first_ms: 50, longest_ms: 2_000, good_ms: 60_000 };
const patience = { every_ms: 200, patience_ms: 2_000 };

const page = (desktop: Desktop): WebContents => desktop.world.windows[0]?.views[0]?.webContents as WebContents;

test('[X20] [X21] [X22] a kiosk shows the TV page on the chosen display, stays on, comes back after a hang, and ends with the PIN', {
  skip,
}, async () => {
  const browser = await sharedBrowser();
  await using desktop = await startDesktop(browser, {}, { backoff, patience });
  const first = await desktop.reads('Where should the data go?');
  await first.getByRole('button', { name: 'Use this folder' }).click();
  await desktop.reads('Become its owner');
  desktop.world.tray?.click('Kiosk mode');
  const setup = await desktop.reads('To end it, press Ctrl+Shift+Q');
  await setup.getByLabel('Display').selectOption('TV');
  await setup.getByRole('button', { name: 'Start' }).click();
  await desktop.reads('Choose a PIN of 4 to 8 digits');
  await setup.getByLabel('PIN').fill('4711');
  await setup.getByLabel('Display').selectOption('TV');
  await setup.getByRole('button', { name: 'Start' }).click();
  await until(() => desktop.world.windows[0]?.options.kiosk === true, 'the kiosk window is open');
  const [kiosk] = desktop.world.windows;
  assert.equal(desktop.world.windows.length, 1, 'the office window is closed');
  assert.deepEqual(kiosk?.bounds, { x: 1_280, y: 0, width: 1_280, height: 720 });
  assert.equal(kiosk?.options.frame, false);
  assert.equal(desktop.world.blockers.size, 1, 'the display does not sleep');
  await desktop.reads(/[A-Z0-9]{3}-[A-Z0-9]{3}/);

  // The page hangs: its script never ends.
  const loads = page(desktop).loads.length;
  void page(desktop)
    .page?.evaluate(() => {
      for (;;);
    })
    .catch(() => {});
  await until(() => page(desktop).loads.length > loads, 'the page is loaded again');
  await desktop.reads(/[A-Z0-9]{3}-[A-Z0-9]{3}/);

  kiosk?.close();
  assert.equal(desktop.world.windows.length, 1, 'a person cannot close the window');
  desktop.world.displays = desktop.world.displays.slice(0, 1);
  screen.emit('display-removed');
  assert.equal(kiosk?.bounds.x, 0, 'without its display the kiosk is on the first one');

  const press = () =>
    page(desktop).emit(
      'before-input-event',
      { preventDefault() {} },
      { type: 'keyDown', control: true, shift: true, key: 'Q' },
    );
  press();
  const question = await desktop.reads('End the kiosk');
  await question.getByLabel('PIN').fill('0000');
  await question.getByRole('button', { name: 'End the kiosk' }).click();
  await desktop.reads('The PIN is wrong');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await desktop.reads(/[A-Z0-9]{3}-[A-Z0-9]{3}/);

  await desktop.restart();
  await until(() => desktop.world.windows[0]?.options.kiosk === true, 'after a restart the kiosk opens by itself');
  await desktop.reads(/[A-Z0-9]{3}-[A-Z0-9]{3}/);
  press();
  const again = await desktop.reads('End the kiosk');
  await again.getByLabel('PIN').fill('4711');
  await again.keyboard.press('Enter');
  await until(
    () => desktop.world.windows[0]?.options.kiosk !== true && desktop.settings().kiosk === null,
    'the kiosk ended',
  );
  assert.equal(desktop.world.blockers.size, 0);
  await desktop.reads('Become its owner');
});
