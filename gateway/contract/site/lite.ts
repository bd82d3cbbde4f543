/**
 * The pages for old TVs (`/tv/lite`). The gateway builds them as HTML from the same content that other TVs get as a stream. The build of the
 * pages makes one module of them, which the gateway loads.
 */
import type { LiveSnapshot } from './live.ts';

/** What a page of boards is made of. */
export interface LiteBoards {
  readonly snapshot: LiveSnapshot;
  /** The time for which the page is drawn, in milliseconds since 1970. It also decides which part of the boards is shown. */
  readonly now_ms: number;
  /** The token of the display link. */
  readonly share: string;
}

/** What a page that waits for its pairing is made of. */
export interface LitePairing {
  readonly user_code: string;
  /** Address at which a person enters the code. */
  readonly verification_url: string;
  /** The address of this page, at which it asks again. */
  readonly self: string;
  /** The language that the browser prefers. */
  readonly language: string | undefined;
}

/** What the page about a link that is not valid is made of. */
export interface LiteNotice {
  /** The address that the page loads after some seconds. */
  readonly next: string;
  /** The language that the browser prefers. */
  readonly language: string | undefined;
}

/** The module that the build makes. Each function returns a whole HTML document. */
export interface LitePages {
  boards(of: LiteBoards): string;
  pairing(of: LitePairing): string;
  /** A page that says that the link is not valid. */
  notice(of: LiteNotice): string;
}
