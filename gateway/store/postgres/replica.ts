/** The tables of the replication in PostgreSQL. They are always there. */
import type { Change } from '#contract/base/view.ts';
import { MergedRows } from '#store/sqlite/merged-rows.ts';
import { newOutcome } from '#store/sqlite/row-writer.ts';
import {
  type CountedProject,
  MOST_COUNTED,
  type ProjectCounts,
  Replica,
  type ReplicaOptions,
} from '#store/sync/replica.ts';
import type { ProjectNumbers } from './loader.ts';
import type { Database } from './pool.ts';
import { PROJECT, SCHEMA } from './tables.ts';
import { toText } from './values.ts';

/** Counts for all projects in one statement: a list of a thousand sites needs it at once. */
const COUNTS = `SELECT
    (SELECT count(*) FROM ${SCHEMA}.sync_state s WHERE s.${PROJECT}=k.p AND s.kind='quarantine'),
    (SELECT coalesce(sum((s.value::json->>'count')::int), 0) FROM ${SCHEMA}.sync_state s
      WHERE s.${PROJECT}=k.p AND s.kind='owing' AND s.name=k.g),
    (SELECT count(*) FROM ${SCHEMA}.sync_state s WHERE s.${PROJECT}=k.p AND s.kind='conflict'),
    (SELECT count(*) FROM
      (SELECT l.giver FROM ${SCHEMA}.sync_log l WHERE l.${PROJECT}=k.p AND l.n>k.a ORDER BY l.n LIMIT ${MOST_COUNTED}) r
      JOIN ${SCHEMA}.sync_words w ON w.${PROJECT}=k.p AND w.no=r.giver
      WHERE left(w.word, length(k.g) + 1) <> k.g || '.' OR w.word = k.g || '.0.')
  FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) AS k(i, p, g, a) ORDER BY k.i`;

interface PostgresReplicaOptions extends ReplicaOptions {
  readonly database: Pick<Database, 'read'>;
}

export class PostgresReplica extends Replica<PostgresReplicaOptions> {
  /**
   * The numbers of projects in this process. Rows in PostgreSQL name their project by its id, because the numbers of two processes
   * differ.
   */
  readonly numbers: ProjectNumbers = {
    idOf: (no) => this.#ids[no - 1],
    numberOf: (project) => this.#numbers.get(project),
    note: (project) => {
      const no = this.newNumber(project);
      this.known.note(project, no);
      return no;
    },
  };
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();

  protected override newNumber(project: string): number {
    const known = this.#numbers.get(project);
    if (known !== undefined) return known;
    this.#ids.push(project);
    this.#numbers.set(project, this.#ids.length);
    return this.#ids.length;
  }

  protected override addTables(): void {}

  override async counts(projects: readonly CountedProject[]): Promise<ProjectCounts[]> {
    const rows = await this.options.database.read(COUNTS, [
      projects.map((_, i) => i),
      projects.map(({ project }) => toText(project)),
      projects.map(({ gateway }) => gateway),
      projects.map(({ after }) => after),
    ]);
    return rows.map(([quarantined, owed, conflicts, waiting]) => ({
      quarantined: Number(quarantined),
      owed: Number(owed),
      conflicts: Number(conflicts),
      waiting: Number(waiting),
    }));
  }

  /**
   * Begins a new life of this node in a project, in the transaction that runs, because its last transaction was in an earlier incarnation.
   * Earlier versions did not record (`isRecorded`) the incarnation; then the token of the life says whether one has begun.
   */
  renew(project: string, isRecorded: boolean): readonly Change[] {
    const { rows, env, clock, incarnation } = this.options;
    const outcome = newOutcome();
    const [merged, now] = [new MergedRows(rows, outcome), env(clock())];
    const { life } = this.open(project, now, merged).node();
    if (isRecorded || life.token !== incarnation.token) this.beginNewLife(project, now, merged);
    return outcome.changes;
  }
}
