/** Deliberate bugs of couriers, one each: the simulator must find every one of them in histories with many bundles. */
import { nodeOf } from '#domain/sync/registers.ts';
import { COURIER } from './courier.ts';
import type { Bug } from './world.ts';

export const COURIER_BUGS: readonly { readonly name: string; readonly within: number; readonly bug: Bug }[] = [
  {
    name: 'a bundle of the cloud leaves out what the site gave',
    within: 1_000,
    bug: {
      courier: {
        takeAnswerPage(tx, env, cloud, page) {
          const commits = page.commits.filter(({ life }) => nodeOf(life) !== tx.node().id);
          return COURIER.takeAnswerPage(tx, env, cloud, { ...page, commits });
        },
      },
    },
  },
  {
    name: 'a gap before a bundle of the cloud is passed over',
    within: 1_000,
    bug: {
      courier: {
        takeAnswer: (tx, head) => COURIER.takeAnswer(tx, { ...head, after: { n: 0, chain: '' } }),
        takeAnswerPage: (tx, env, cloud, page) =>
          COURIER.takeAnswerPage(tx, env, cloud, { ...page, after: tx.siteChannel().pulled }),
      },
    },
  },
  {
    name: 'a bundle of the cloud begins at its oldest row, whatever the site has',
    within: 1_000,
    bug: {
      courier: {
        openAnswer: (tx, gateway, fetched) =>
          COURIER.openAnswer(tx, gateway, fetched) ?? COURIER.openAnswer(tx, gateway, tx.rows(0, 1)[0]),
      },
    },
  },
  {
    name: 'the machinery of a box that does not count is taken from a bundle',
    within: 1_000,
    bug: {
      courier: {
        takeBundlePage: (tx, env, head, commits) =>
          COURIER.takeBundlePage(tx, env, { ...head, life: tx.life(head.gateway) ?? head.life }, commits),
      },
    },
  },
];
