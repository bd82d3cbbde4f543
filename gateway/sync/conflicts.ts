/** The inbox of conflicts of a project, and the writes that decide one. It is a view: registers keep all values. */
import type { FieldWrite, GivenValue, OpenConflict, SyncReader } from '#contract/sync-services.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { type Doc, keyOf } from '#domain/sync/registers/documents.ts';
import { inboxOf } from '#domain/sync/registers/inbox.ts';
import { assemble, ruleOfPath } from '#domain/sync/registers/paths.ts';
import { DELETED, isPeoples, makeValue, nodeOf, shownOf, type Value } from '#domain/sync/registers/registers.ts';
import { STEPS_PATH } from '#domain/sync/registers/ticket-steps.ts';
import { parseTime } from '#store/base/hlc.ts';
import type { SyncStore } from '#store/sync/replica.ts';

/** Most documents with conflicts that one read looks at. A person decides some of them, and the next ones follow. */
const MOST_READ = 200;

const given = ({ id, v, life, hlc }: Value): GivenValue => ({
  id,
  value: v,
  node: nodeOf(life),
  at: new Date(parseTime(hlc).ms).toISOString(),
  hlc,
});

const inProject = (sync: SyncStore, project: string): boolean => sync.projects().includes(project);

type Found = Awaited<ReturnType<SyncReader['fieldWrite']>>;

function writeOf(env: SyncEnv, doc: Doc, path: string, value: unknown): Found {
  const kind = kindOf(env, doc.collection, doc.object);
  const { object } = doc;
  if (path === DELETED) {
    const data: Record<string, unknown> = { ...assemble(kind, doc.registers) };
    const write: FieldWrite = { object, data, chosen: value === null ? [DELETED] : [], deleted: value !== null };
    return { write, current: doc.dead ? 'deleted' : null };
  }
  if (path.startsWith(`${STEPS_PATH}/`)) {
    const write = { object, data: { ...assemble(kind, doc.registers) }, chosen: [path], deleted: false };
    return { write, current: undefined };
  }
  const register = doc.registers.get(path);
  if (register === undefined || !isPeoples(path) || ruleOfPath(kind, path)?.owner !== 'people') return undefined;
  const registers = new Map(doc.registers);
  registers.set(path, [makeValue(path, value, { hlc: '', life: '' })]);
  const write = { object, data: { ...assemble(kind, registers) }, chosen: [path], deleted: false };
  const shown = shownOf(register, ruleOfPath(kind, path)?.rank);
  return { write, current: register.length === 1 ? register[0]?.v : undefined, given: given(shown) };
}

/** The part of `SyncReader` that is about conflicts. */
export function conflictReader(sync: SyncStore): Pick<SyncReader, 'conflicts' | 'fieldWrite'> {
  return {
    async conflicts(project) {
      if (!inProject(sync, project)) return [];
      return sync.run(project, (tx) =>
        tx
          .conflicted()
          .slice(0, MOST_READ)
          .flatMap((key): OpenConflict[] => {
            const doc = tx.get(key);
            if (doc === undefined) return [];
            return inboxOf(doc).map(({ kind, id, path, values }) => ({
              kind,
              record_id: id,
              path,
              values: values.map(given),
            }));
          }),
      );
    },
    async fieldWrite(project, record_id, path, value) {
      if (!inProject(sync, project)) return undefined;
      return sync.run(project, (tx, env) => {
        const doc = tx.get(keyOf({ collection: 'records', id: record_id }));
        return doc === undefined || doc.grave ? undefined : writeOf(env, doc, path, value);
      });
    },
  };
}
