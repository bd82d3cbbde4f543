/** How much head office has given back to boxes that take the place of others, as far as this process knows. */
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import type { Answer, Request } from '#domain/sync/messages.ts';
import { Progress } from './progress.ts';

export class GivingBack {
  readonly #running = new Map<string, GivenBack>();
  readonly #progress = new Progress();

  /** Notes what a box asked about a project, and what it got. */
  note(project: string, request: Request, answer: Answer): void {
    const known = this.#running.get(project);
    if (answer.type === 'begin' && answer.documents !== undefined)
      this.#keep(project, { documents: 0, of: answer.documents });
    else if (answer.type === 'begin' || (request.type === 'end' && answer.type === 'ok') || request.type === 'push')
      // A page is sent after the repair. Its end may have been at another process of head office.
      this.#keep(project, undefined);
    else if (answer.type === 'give' && known !== undefined) {
      const documents = known.documents + answer.parts.length;
      this.#keep(project, { documents, of: Math.max(documents, known.of) });
    }
  }

  #keep(project: string, now: GivenBack | undefined): void {
    this.#progress.note(project, now);
    if (now === undefined) this.#running.delete(project);
    else this.#running.set(project, now);
  }

  /** The sum of these projects, also of those that are complete; null if nothing is given back now. */
  of(projects: readonly string[]): GivenBack | null {
    if (projects.some((project) => this.#running.has(project))) return this.#progress.of(projects) ?? null;
    this.#progress.forget(projects);
    return null;
  }
}
