/**
 * The contact of a site with head office about one project: asks the protocol for the next request, sends it, and gives back the answer, each
 * in a transaction of its own.
 */
import type { Answer, Request } from '#domain/sync/messages.ts';
import { PAGE_BYTES } from '#domain/sync/pages.ts';
import { SiteLink } from '#domain/sync/site.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { decodeAnswer, encodeRequest } from '#sync/wire/messages.ts';
import { WireError } from '#sync/wire/wire-error.ts';

/** Sends one message and returns the answer. */
export type Send = (message: Buffer) => Promise<Buffer>;

/** Commits of a page, and documents of a step of a repair. */
const PAGE = 100;
const GIVE = 50;

/** The session of one project. */
export class Session {
  readonly project: string;
  readonly #store: SyncStore;
  readonly #link: SiteLink;
  readonly #sizes = { page: PAGE, bytes: PAGE_BYTES, give: GIVE };

  constructor(project: string, store: SyncStore) {
    this.project = project;
    this.#store = store;
    this.#link = new SiteLink(this.#sizes);
  }

  /** Id of head office; empty before the first answer. */
  get cloud(): string {
    return this.#link.cloud;
  }

  /** True if nothing waits at either end, as far as the last contact knows. */
  get isIdle(): boolean {
    return this.#link.isIdle;
  }

  get isRepairing(): boolean {
    return this.#link.isRepairing;
  }

  /** The connection is gone, or there may be something new at head office: the next exchange begins with a hello. */
  close(): void {
    this.#link.close();
  }

  /** One request and its answer. Returns false when there is nothing to do. */
  async exchange(send: Send): Promise<boolean> {
    const { project } = this;
    const request = await this.#store.run(project, (tx, env) => this.#link.next(tx, env));
    if (request === undefined) return false;
    try {
      const answer = decodeAnswer(await send(encodeRequest({ project, request })));
      await this.#take(request, answer);
      this.#sizes.give = Math.min(GIVE, this.#sizes.give + 1);
    } catch (error) {
      this.#link.close();
      // Documents are larger than usual: a step of a repair takes fewer of them.
      if (error instanceof WireError && error.code === 'message_too_large') this.#sizes.give = 1;
      throw error;
    }
    return true;
  }

  async #take(request: Request, answer: Answer): Promise<void> {
    try {
      await this.#store.run(this.project, (tx, env) => this.#link.take(tx, env, request, answer));
    } catch (error) {
      if (!(await this.#store.run(this.project, (tx) => this.#link.failed(tx, error)))) throw error;
    }
  }
}
