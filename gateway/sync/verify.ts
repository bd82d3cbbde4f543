/** Compares everything that a site and head office have, and stores the result as a receipt of each project. */

import type { Kind } from '#contract/base/ids.ts';
import { spoken } from '#contract/base/told.ts';
import { MOST_RECEIPTS, type SyncReceipt, type SyncReceiptData } from '#contract/site/sync.ts';
import { askRepair } from '#domain/sync/apply.ts';
import { type Custody, CustodyCheck } from '#domain/sync/custody.ts';
import { ComparisonStuck } from '#domain/sync/digest.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { decodeAnswer, encodeRequest } from '#sync/wire/messages.ts';
import type { FileCheck } from './file-check.ts';
import { custodySentence } from './sentences.ts';
import type { Send } from './sessions.ts';

/** Most names in a receipt. */
const NAMED = 100;

interface VerifyOptions {
  readonly store: Pick<Store, 'node' | 'nodeId'>;
  readonly sync: SyncStore;
  readonly send: Send;
  readonly cloud_id: string;
  readonly clock: () => number;
  readonly newId: (kind: Kind) => string;
  /** Compares the files of a project. */
  readonly checkFiles: (project: string) => Promise<FileCheck | undefined>;
}

export async function verifyProjects(options: VerifyOptions): Promise<SyncReceipt[]> {
  const receipts: SyncReceipt[] = [];
  let stuck: ComparisonStuck | undefined;
  for (const project of options.sync.projects()) {
    const custody = await checkProject(options, project).catch((error: unknown) => {
      if (!(error instanceof ComparisonStuck)) throw error;
      stuck = error;
    });
    // The other projects get their receipts.
    if (custody === undefined) continue;
    // Both ends differ although nothing waits: the next contact compares and repairs. It would bring in vain what an end could not take.
    const { owed, quarantined, different } = custody;
    const noted = owed.there + owed.here;
    if (custody.differs && (noted === 0 || different.length > noted + quarantined.length))
      await options.sync.run(project, askRepair);
    receipts.push(await keep(options, project, custody, (await options.checkFiles(project)) ?? NOTHING));
  }
  if (stuck !== undefined) throw stuck;
  return receipts;
}

const NOTHING: FileCheck = { waiting: 0, lost: [] };

async function checkProject({ store, sync, send, cloud_id }: VerifyOptions, project: string): Promise<Custody> {
  const check = new CustodyCheck(store.nodeId, cloud_id);
  for (;;) {
    const request = await sync.run(project, (tx) => check.next(tx));
    if (request === undefined) return sync.run(project, (tx) => check.result(tx));
    const answer = decodeAnswer(await send(encodeRequest({ project, request })));
    await sync.run(project, (tx) => check.take(tx, answer));
  }
}

async function keep(
  { store, clock, newId }: VerifyOptions,
  project_id: string,
  custody: Custody,
  files: FileCheck,
): Promise<SyncReceipt> {
  const { waiting, missing, quarantined, unbalanced, gaps } = custody;
  const data: SyncReceiptData = {
    project_id,
    verdict: verdictWith(custody.verdict, files),
    ...spoken(custodySentence(custody, files)),
    checked_at: new Date(clock()).toISOString(),
    waiting: Math.max(0, waiting),
    missing: missing.slice(0, NAMED),
    missing_total: missing.length,
    not_taken: quarantined.slice(0, NAMED),
    not_taken_total: quarantined.length,
    lost_in_lives: unbalanced.slice(0, NAMED),
    gaps: gaps.slice(0, NAMED),
    files_waiting: files.waiting,
    files_lost: files.lost.slice(0, NAMED),
    files_lost_total: files.lost.length,
  };
  const id = newId('sync_receipt');
  const where = { 'data.project_id': project_id };
  const old = await store.node.find<SyncReceiptData>('local', { object: 'sync_receipt', where, limit: 1_000 });
  const surplus = old.slice(MOST_RECEIPTS - 1);
  await store.node.commit([
    { collection: 'local', id, object: 'sync_receipt', data: { ...data }, expected: 0 },
    ...surplus.map(({ id: gone, data: of }) => ({
      ...({ collection: 'local', object: 'sync_receipt', deleted: true } as const),
      id: gone,
      data: { ...of },
    })),
  ]);
  return { object: 'sync_receipt', id, ...data };
}

/** The verdict about documents and files together: the worse of the two. */
function verdictWith(verdict: Custody['verdict'], { waiting, lost }: FileCheck): Custody['verdict'] {
  if (verdict === 'incomplete' || lost.length > 0) return 'incomplete';
  return waiting > 0 ? 'not_settled' : verdict;
}
