/** How much of several projects has been given back. It never falls, also when a project is complete or its repair begins again. */
import type { GivenBack } from '#contract/site/sync-takeover.ts';

export class Progress {
  readonly #all = new Map<string, GivenBack>();

  /** Notes how far a project is. Undefined: there is a connection and no repair, so what was noted of it is complete. */
  note(project: string, now: GivenBack | undefined): void {
    const known = this.#all.get(project);
    if (now === undefined) {
      if (known !== undefined) this.#all.set(project, { documents: known.of, of: known.of });
      return;
    }
    const documents = Math.max(now.documents, known?.documents ?? 0);
    this.#all.set(project, { documents, of: Math.max(documents, now.of, known?.of ?? 0) });
  }

  forget(projects: Iterable<string>): void {
    for (const project of projects) this.#all.delete(project);
  }

  /** The sum of these projects; undefined if nothing was noted of them. */
  of(projects: Iterable<string>): GivenBack | undefined {
    const all = [...projects].flatMap((project) => this.#all.get(project) ?? []);
    if (all.length === 0) return undefined;
    return all.reduce((a, b) => ({ documents: a.documents + b.documents, of: a.of + b.of }));
  }
}
