/**
 * Begins the chain of the audit log when a database opens. An entry of the store says where the chain begins, and after a loss of commits
 * or a restore another entry says where it goes on. So a reader sees each break of the log in the log itself.
 */
import { createHash } from 'node:crypto';
import { AUDIT_OBJECT, type Linked } from '#contract/base/audit-entry.ts';
import { makeId } from '#contract/base/ids.ts';
import { NODE_PROJECT, type Stored } from '#contract/base/view.ts';
import {
  type AuditHead,
  CHAIN_RESUMED,
  CHAIN_STARTED,
  type EarlierEntries,
  type LostEntries,
  textOfUnchained,
} from '#store/base/audit-chain.ts';
import type { StorageEngine } from '#store/base/engine.ts';
import type { Log } from './background-work.ts';

/** Number of entries that one read returns. */
const PAGE = 200;

interface AuditStart {
  readonly engine: Pick<StorageEngine, 'nodeId' | 'incarnation' | 'find' | 'commit'>;
  /** The last entry of the database; undefined before the chain begins. */
  readonly head: AuditHead | undefined;
  /** The last entry according to the high-water mark, which is beside the database. */
  readonly marked: AuditHead | undefined;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log | undefined;
}

/** Writes the entry about the chain that this open needs, if it needs one. */
export async function startAuditChain(start: AuditStart): Promise<void> {
  const { engine, head, log } = start;
  const { number, token } = engine.incarnation;
  const lost = await lostEntries(start);
  if (lost !== null) log?.('error', 'entries of the audit log are missing', { ...lost });
  if (head === undefined) await write(start, CHAIN_STARTED, { token, earlier: await earlierEntries(engine), lost });
  else if (head.life !== number || lost !== null) await write(start, CHAIN_RESUMED, { token, lost });
}

async function write(
  { engine, clock, random }: AuditStart,
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await engine.commit([
    {
      collection: 'events',
      project_id: NODE_PROJECT,
      id: makeId('audit', clock(), random(10)),
      object: AUDIT_OBJECT,
      expected: 0,
      data: {
        type,
        subject: { object: 'gateway', id: engine.nodeId },
        actor: { type: 'service', id: null, name: null, door: 'gateway' },
        data,
      },
    },
  ]);
}

/** Compares the head of the database with the high-water mark. Returns the entries that the mark knows and the database lacks. */
async function lostEntries({ engine, head, marked }: AuditStart): Promise<LostEntries | null> {
  // An entry of a later life has recorded this loss already.
  if (marked === undefined || (head !== undefined && head.life > marked.life)) return null;
  const { number, hash } = marked;
  if (head === undefined || head.number < number) return { from: (head?.number ?? 0) + 1, through: number, hash };
  const [entry] = await engine.find<Linked>(null, 'events', {
    object: AUDIT_OBJECT,
    where: { 'data.chain.number': number },
    limit: 1,
  });
  return entry?.data.chain?.hash === hash ? null : { from: number, through: number, hash };
}

/** Reads the entries of earlier versions, which have no link. */
async function earlierEntries(engine: Pick<StorageEngine, 'find'>): Promise<EarlierEntries> {
  const hash = createHash('sha256');
  let entries = 0;
  for (let after: Stored | undefined; ; ) {
    const page: Stored[] = await engine.find(null, 'events', {
      object: AUDIT_OBJECT,
      order: 'asc',
      limit: PAGE,
      ...(after && { after }),
    });
    for (const entry of page) hash.update(textOfUnchained(entry));
    entries += page.length;
    after = page.at(-1);
    if (page.length < PAGE) return { entries, sha256: hash.digest('hex') };
  }
}
