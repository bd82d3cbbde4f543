/** The tables of the replication in PostgreSQL. They are always there. */
import { Replica, type ReplicaOptions } from '#store/sync/replica.ts';
import type { ProjectNumbers } from './loader.ts';

export class PostgresReplica extends Replica<ReplicaOptions> {
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

  /** Begins a new life of this node in a project, because the database lost commits. */
  async renew(project: string): Promise<void> {
    await this.transact(project, 0, (merged, env) => {
      const tx = this.open(project, env, merged);
      if (tx.node().life.token !== this.options.incarnation.token) this.beginNewLife(project, env, merged);
    });
  }
}
