/** Deliberate bugs of couriers, one each: the simulator must find every one of them in histories with many bundles. */
import { unknownBundles } from '#domain/sync/courier.ts';
import { nodeOf } from '#domain/sync/registers.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import { COURIER } from './courier.ts';
import type { Bug, CourierSteps } from './world.ts';

/** Digits of a mark. */
const MARK = 16;

/** A page of the cloud as if it went on from the position of the site, whatever the log of the cloud was there. */
function unmarked(tx: SyncTx, page: Parameters<CourierSteps['takeAnswerPage']>[3]): typeof page {
  const { n, chain } = tx.siteChannel().pulled;
  const { after, marks } = page;
  if (n === after.n) return { ...page, after: { n, chain } };
  const at = (n - after.n - 1) * MARK;
  if (at < 0 || at >= marks.length) return page;
  return { ...page, marks: marks.slice(0, at) + chain.slice(0, MARK).padEnd(MARK, '0') + marks.slice(at + MARK) };
}

export const COURIER_BUGS: readonly { readonly name: string; readonly within: number; readonly bug: Bug }[] = [
  {
    name: 'a bundle counts at its first page',
    within: 1_000,
    bug: {
      courier: {
        takeBundlePage(tx, env, head, commits) {
          COURIER.endBundle(tx, head);
          return COURIER.takeBundlePage(tx, env, head, commits);
        },
      },
    },
  },
  {
    name: 'nobody notices that the cloud lost a bundle',
    within: 1_000,
    bug: {
      courier: { takeAnswer: (tx, head) => COURIER.takeAnswer(tx, { ...head, lost: undefined, place: -1 }) },
      handle: (_tx, _env, request, own) => {
        if (request.type === 'hello') Object.assign(request, { bundle: undefined });
        return own();
      },
    },
  },
  {
    name: 'a box that was put back takes a bundle of the cloud',
    within: 1_000,
    bug: {
      courier: {
        takeAnswer(tx, head) {
          const unknown = new Set(unknownBundles(tx, [...head.acks, ...head.begun]));
          const acks = head.acks.filter((id) => !unknown.has(id));
          return COURIER.takeAnswer(tx, { ...head, acks, begun: [] });
        },
      },
    },
  },
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
    name: 'a bundle of the cloud without marks',
    within: 1_000,
    bug: {
      courier: {
        takeAnswerPage: (tx, env, cloud, page) => COURIER.takeAnswerPage(tx, env, cloud, unmarked(tx, page)),
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
    name: 'a bundle names rows that it does not have',
    within: 1_000,
    bug: {
      courier: {
        closeBundle: (tx, id, from, to) =>
          COURIER.closeBundle(
            tx,
            id,
            from,
            to.map(() => tx.head().n),
          ),
      },
    },
  },
  {
    name: 'a bundle of an earlier life is confirmed',
    within: 1_000,
    bug: {
      courier: {
        endBundle: (tx, head) => COURIER.endBundle(tx, { ...head, life: tx.life(head.gateway) ?? head.life }),
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
