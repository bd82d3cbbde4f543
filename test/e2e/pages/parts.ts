/** The parts of the proof of all pages. Each part opens pages of a site in one state. */
import { randomSite } from '#test/bench/random-site.ts';
import { OWNER_KEY, startGateway } from '#test/support/gateway.ts';
import type { KeyRole } from './demo.ts';
import { lookAtDoors } from './doors.ts';
import { lookAtEnds } from './ends.ts';
import { useKeyboard } from './keyboard.ts';
import { ALL_VIEWS, CONTENT_VIEWS, FEW_VIEWS, goTo, LONG_VIEWS, walkOffice } from './office.ts';
import { lookAtPictures } from './pictures.ts';
import type { Run } from './run.ts';
import { lookAtScreens } from './screens.ts';
import { type Visit, visitsOf } from './visits.ts';

/** The roles that the part `roles` visits. The part `office` visits all pages as the owner. */
const ROLES = ['admin', 'supervisor', 'mechanic', 'operator', 'viewer'] as const satisfies readonly KeyRole[];

const chosen = (visits: readonly Visit[], only: string) => visits.filter(({ name }) => name.includes(only));

/** The office of the demo, as its owner. */
async function office(run: Run): Promise<void> {
  const { http, client, keyOf } = await run.demo();
  const visits = chosen(await visitsOf(client), run.only);
  await walkOffice({ ...run, name: 'office', http, key: await keyOf('owner'), views: ALL_VIEWS, visits });
}

/** The office of the demo with texts that are 35 % longer. */
async function long(run: Run): Promise<void> {
  const { http, client, keyOf } = await run.demo();
  const visits = chosen(await visitsOf(client), run.only);
  const key = await keyOf('owner');
  await walkOffice({ ...run, name: 'long texts', http, key, language: 'en-XA', views: LONG_VIEWS, visits });
}

/** The office of the demo as each role of a person. */
async function roles(run: Run): Promise<void> {
  const { http, client, keyOf } = await run.demo();
  const visits = chosen(await visitsOf(client), run.only);
  for (const role of ROLES) {
    await walkOffice({ ...run, name: role, http, key: await keyOf(role), views: FEW_VIEWS, visits });
  }
}

/** The office of the demo after the gateway has stopped answering. */
async function offline(run: Run): Promise<void> {
  const { http, client, keyOf } = await run.demo();
  const visits = chosen(await visitsOf(client), run.only);
  const walk = { ...run, name: 'offline', http, key: await keyOf('owner'), views: FEW_VIEWS, visits };
  await walkOffice({
    ...walk,
    isOffline: true,
    async before({ page, settle }) {
      // The browser loads the code of each page while the gateway still answers.
      for (const { hash } of visits) {
        await goTo(page, hash);
        await settle();
      }
      await page.context().setOffline(true);
    },
  });
}

/** A site without anything, and addresses of records that do not exist. */
async function empty(run: Run): Promise<void> {
  await using gateway = await startGateway();
  const { project } = await gateway.client.call('projects_create', { name: 'North Pit' });
  const visits = chosen(await visitsOf(gateway.project(project.id)), run.only);
  await walkOffice({
    ...run,
    ...{ name: 'empty', http: gateway.node.http, key: OWNER_KEY, views: CONTENT_VIEWS, visits },
    isExpected: (response) => response.status() === 404 || response.status() === 400,
  });
}

/** A site with 500 machines. */
async function full(run: Run): Promise<void> {
  await using gateway = await startGateway();
  await using site = await randomSite(gateway, 7, 500);
  const visits = chosen(await visitsOf(site.client), run.only);
  const few = visits.filter(({ name }) => !/^(agent|setup|keys|connect|account|encryption)/.test(name));
  await walkOffice({
    ...run,
    ...{ name: '500 machines', http: gateway.node.http, key: OWNER_KEY, views: CONTENT_VIEWS, visits: few },
    isExpected: (response) => response.status() === 404,
  });
}

export const PARTS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  office,
  long,
  roles,
  offline,
  empty,
  full,
  doors: lookAtDoors,
  ends: lookAtEnds,
  screens: lookAtScreens,
  keyboard: useKeyboard,
  pictures: lookAtPictures,
};
