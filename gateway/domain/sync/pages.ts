/** Pages: commits as the other end gets them, with the current values of the fields that they wrote. */
import { type Doc, keyOf, type Part, partOf } from './documents.ts';
import type { SyncEnv } from './env.ts';
import { isMachinerys } from './registers.ts';
import type { Commit, LogRow, SyncTx } from './store.ts';

/**
 * Builds commits from rows of the log. A commit's record is never older than its event, because the page has the current values. Documents
 * in `whole` are sent as a whole, because the receiver lacks them.
 */
export function commitsOf(
  tx: SyncTx,
  rows: readonly LogRow[],
  whole: readonly string[],
  outgoing: (doc: Doc, part: Part) => Part | undefined,
): Commit[] {
  return rows.map(({ key, life, hlc, lane, members }) => ({
    key,
    life,
    hlc,
    lane,
    docs: members.flatMap((member) => {
      const name = keyOf(member);
      const doc = tx.get(name);
      const part = doc && outgoing(doc, partOf(doc, whole.includes(name) ? undefined : member.paths));
      return part === undefined || part.registers.size === 0 ? [] : [part];
    }),
  }));
}

/** About how many bytes of text a page carries, unless one commit has more. Compressed, a page is a quarter of it. */
export const PAGE_BYTES = 256 << 10;

/** The first commits that have at most `most` bytes of text together; at least one. */
export function fitting(commits: readonly Commit[], most: number): Commit[] {
  let bytes = 0;
  const over = commits.findIndex((commit) => {
    bytes += bytesOf(commit);
    return bytes > most;
  });
  return commits.slice(0, over < 0 ? commits.length : Math.max(1, over));
}

/** About the number of bytes of a commit as text. */
function bytesOf({ docs }: Commit): number {
  let bytes = 60;
  for (const { id, registers } of docs) {
    bytes += 60 + id.length;
    for (const [path, register] of registers)
      for (const { v, anc } of register) bytes += path.length + 20 + 8 * anc.length + (JSON.stringify(v)?.length ?? 4);
  }
  return bytes;
}

/** What a node sends of a document: of the values of machinery only those of this node. A fact that goes only up is not sent down. */
export function outgoingOf(env: SyncEnv, self: string): (doc: Doc, part: Part) => Part | undefined {
  return (doc, part) => {
    if (env.role === 'cloud' && env.ownership.kind(doc.collection, doc.object)?.whole?.direction === 'up')
      return undefined;
    if (doc.home === '' || doc.home === self) return part;
    const registers = new Map([...part.registers].filter(([path]) => !isMachinerys(path)));
    return registers.size === part.registers.size ? part : { ...part, registers };
  };
}

/** Whole documents of a repair as commits of their own, so that one bad document holds up no other. */
export function repairCommits(env: SyncEnv, parts: readonly Part[]): Commit[] {
  return parts.map((part) => {
    let latest = { hlc: '', life: '' };
    for (const register of part.registers.values())
      for (const { hlc, life } of register) if (hlc > latest.hlc) latest = { hlc, life };
    const marks = [...part.registers.values()].flatMap((register) => register.map(({ id }) => id)).sort();
    const key = env.rules.commitKey(latest.life, latest.hlc, `repair ${keyOf(part)} ${marks.join(' ')}`);
    return { ...latest, key, lane: 2, docs: [part] };
  });
}
