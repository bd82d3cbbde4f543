/** How much head office has given back to boxes that take the place of others, as far as this process knows. */
import type { GivenBack } from '#contract/site/sync-takeover.ts';
import type { Answer, Request } from '#domain/sync/messages.ts';

export class GivingBack {
  readonly #running = new Map<string, GivenBack>();

  /** Notes what a box asked about a project, and what it got. */
  note(project: string, request: Request, answer: Answer): void {
    const known = this.#running.get(project);
    if (answer.type === 'begin' && answer.documents !== undefined)
      this.#running.set(project, { documents: 0, of: answer.documents });
    else if (answer.type === 'begin' || (request.type === 'end' && answer.type === 'ok') || request.type === 'push')
      // A page is sent after the repair. Its end may have been at another process of head office.
      this.#running.delete(project);
    else if (answer.type === 'give' && known !== undefined) {
      const documents = known.documents + answer.parts.length;
      this.#running.set(project, { documents, of: Math.max(documents, known.of) });
    }
  }

  /** The sum of these projects; null if nothing is given back now. */
  of(projects: readonly string[]): GivenBack | null {
    const all = projects.flatMap((project) => this.#running.get(project) ?? []);
    if (all.length === 0) return null;
    return all.reduce((a, b) => ({ documents: a.documents + b.documents, of: a.of + b.of }));
  }
}
