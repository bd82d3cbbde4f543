/** Machines in trouble on the office page: what is wrong, who is on it, and why a machine comes first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '#test/support/gateway.ts';
import { shot, signIn, sticksOut, withoutBrowser } from './browser.ts';
import { sharedBrowser } from './shared-browser.ts';
import { setScene, TROUBLE } from './wall-scene.ts';

test('[U95] the office lists machines in trouble as the wall does; one tap takes a machine, and one undoes it', {
  skip: withoutBrowser,
}, async () => {
  const chromium = await sharedBrowser();
  await using gateway = await startGateway();
  await using scene = await setScene(gateway);
  const places = async () => {
    const { data } = await scene.client.call('equipment_list', { include: 'attention' });
    return data
      .flatMap(({ unit_number, attention }) =>
        attention?.place == null ? [] : [{ unit_number, place: attention.place }],
      )
      .sort((a, b) => a.place - b.place)
      .map(({ unit_number }) => unit_number);
  };
  for (const width of [1440, 390]) {
    await using office = await chromium.open(`${gateway.node.http}/#machines`, {
      viewport: { width, height: 844 },
      hasTouch: width < 500,
    });
    const { page } = office;
    await signIn(page);
    const row = page.locator('.troubles .machine-trouble', { hasText: TROUBLE.safety });
    await row.waitFor();
    await page.locator('.troubles .machine-trouble', { hasText: TROUBLE.silent }).waitFor();
    assert.deepEqual(await page.locator('.troubles .says .link').allTextContents(), await places());
    assert.match((await row.textContent()) ?? '', /Service brake fails on the ramp, still running/);
    assert.match((await row.textContent()) ?? '', /Act now\. For .+, since .+Nobody on it yet/);
    await row.getByRole('button', { name: 'I take it', exact: true }).click();
    await row.getByText(/is on it/).waitFor();
    await row.getByRole('button', { name: 'Undo "I take it"' }).click();
    await row.getByText('Nobody on it yet').waitFor();
    assert.equal(await sticksOut(page), 0);
    const tall = await row.getByRole('button', { name: 'I take it', exact: true }).boundingBox();
    assert.ok((tall?.height ?? 0) >= 44);
    await row.getByRole('button', { name: TROUBLE.safety }).click();
    await page.getByRole('button', { name: 'Why first?' }).click();
    const why = page.locator('.head-trouble .why');
    await why.getByText(/First of 7 in trouble\. safety repair 70, .*still running \+10/).waitFor();
    const cut = await page
      .locator('.machine-trouble, .machine-trouble *')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).length);
    assert.equal(cut, 0, 'texts that are cut off');
    await page.locator('.machine-trouble.head-trouble').scrollIntoViewIfNeeded();
    await shot(page, `office-trouble-${width}`);
    await page.evaluate(() => scrollTo(0, 0));
    await shot(page, `office-troubles-${width}`);
    assert.deepEqual(
      office.complaints.filter((text) => !text.includes('401')),
      [],
    );
  }
});
