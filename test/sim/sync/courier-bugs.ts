/** Deliberate bugs of couriers, one each: the simulator must find every one of them in histories with many bundles. */
import { nodeOf } from '#domain/sync/registers/registers.ts';
import type { SyncTx, Volume } from '#domain/sync/store.ts';
import type { Control } from './bugs.ts';
import { COURIER } from './courier.ts';
import { lostBundle, secondFile } from './directed.ts';

export const COURIER_BUGS: readonly Control[] = [
  {
    name: 'a loss by courier does not end the promise of backups',
    within: 1,
    directed: lostBundle,
    bug: {
      courier: {
        takeAnswer(tx, head) {
          const taken = COURIER.takeAnswer(tx, head);
          tx.setSiteChannel({ ...tx.siteChannel(), lost: undefined });
          return taken;
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
    name: 'a bundle of the cloud begins at its oldest row, whatever the site has, and the site takes it',
    within: 1_000,
    bug: {
      courier: {
        openAnswer: (tx, gateway, fetched) =>
          COURIER.openAnswer(tx, gateway, fetched) ?? COURIER.openAnswer(tx, gateway, tx.rows(0, 1)[0]),
        // The site refuses a begin that it does not know, so it must not look either.
        takeAnswer(tx, head) {
          const isSmaller = head.after.n <= tx.siteChannel().pulled.n;
          return COURIER.takeAnswer(tx, isSmaller ? { ...head, after: { n: 0, chain: '' } } : head);
        },
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
  {
    name: 'a file of a site counts as arrived when it is written',
    within: 100,
    bug: {
      courier: {
        closeBundle(tx, id, from, to) {
          COURIER.closeBundle(tx, id, from, to);
          confirmVolumes(tx, (volume) => volume.id === id);
        },
      },
    },
  },
  {
    name: 'a file that is read again counts twice',
    within: 200,
    bug: {
      courier: {
        endBundle(tx, head) {
          const { bundles } = tx.cloudChannel(head.gateway);
          const counts = COURIER.endBundle(tx, head);
          const channel = tx.cloudChannel(head.gateway);
          if (counts && bundles.includes(head.id))
            tx.setCloudChannel(head.gateway, {
              ...channel,
              taken: (channel.taken ?? 0) + 1,
              bundles: [...bundles, head.id],
            });
          return counts;
        },
      },
    },
  },
  {
    name: 'a file of head office that was read before moves the position back',
    within: 200,
    bug: {
      courier: {
        takeAnswerPage(tx, env, cloud, page) {
          const quarantined = COURIER.takeAnswerPage(tx, env, cloud, page);
          tx.setSiteChannel({ ...tx.siteChannel(), pulled: page.to });
          return quarantined;
        },
      },
    },
  },
  { name: 'a file of another site is taken', within: 100, bug: { courier: { isFor: () => true } } },
  { name: 'a file whose last page is cut off counts', within: 200, bug: { courier: { hasEnd: () => true } } },
  {
    name: 'the confirmation of an earlier life confirms the file with the same number',
    within: 1_000,
    bug: {
      courier: {
        takeAnswer(tx, head) {
          const taken = COURIER.takeAnswer(tx, head);
          const numbers = new Set(head.acks.map(numberIn));
          if (taken === 'taken') confirmVolumes(tx, ({ id }) => numbers.has(numberIn(id)));
          return taken;
        },
      },
    },
  },
  {
    name: 'a bundle brings events without their records',
    within: 100,
    bug: {
      courier: {
        takeBundlePage: (tx, env, head, commits) =>
          COURIER.takeBundlePage(
            tx,
            env,
            head,
            commits.map((commit) => ({ ...commit, docs: commit.docs.slice(-1) })),
          ),
      },
    },
  },
  {
    name: 'the files of an export of head office are taken in any order',
    within: 1_000,
    bug: {
      courier: {
        takeAnswer: (tx, head) => COURIER.takeAnswer(tx, { ...head, after: tx.siteChannel().pulled }),
        takeAnswerPage(tx, env, cloud, page) {
          const { pulled } = tx.siteChannel();
          const isLater = page.after.n > pulled.n;
          return COURIER.takeAnswerPage(tx, env, cloud, isLater ? { ...page, after: pulled } : page);
        },
      },
    },
  },
  {
    name: 'the second file of an export begins where the first one ended, whatever the log has',
    within: 1,
    directed: secondFile,
    bug: {
      courier: {
        openAnswer(tx, gateway, fetched, before) {
          const head = COURIER.openAnswer(tx, gateway, fetched, before) ?? COURIER.openAnswer(tx, gateway, tx.head());
          return head && { ...head, after: before ?? head.after };
        },
        answerPage(tx, env, after, size) {
          const page = COURIER.answerPage(tx, env, after, size);
          const [first] = page === 'gone' ? tx.rows(after.n, 1) : [];
          if (first === undefined) return page;
          const next = COURIER.answerPage(tx, env, first, size);
          return next === undefined || next === 'gone' ? next : { ...next, after, marks: first.chain.slice(0, 16) };
        },
      },
    },
  },
  {
    name: 'a site takes a file that begins at a smaller number than its position, of whatever log',
    within: 1_000,
    bug: {
      courier: {
        takeAnswer(tx, head) {
          const isSmaller = head.after.n <= tx.siteChannel().pulled.n;
          return COURIER.takeAnswer(tx, isSmaller ? { ...head, after: { n: 0, chain: '' } } : head);
        },
      },
    },
  },
];

/** The number of a bundle among those of its site. */
const numberIn = (id: string): string => /\/(\d+)\//.exec(id)?.[1] ?? id;

function confirmVolumes(tx: SyncTx, which: (volume: Volume) => boolean): void {
  const channel = tx.siteChannel();
  const { courier } = channel;
  if (courier === undefined) return;
  const volumes = courier.volumes.map((volume) => (which(volume) ? { ...volume, acked: true } : volume));
  tx.setSiteChannel({ ...channel, courier: { ...courier, volumes } });
}
