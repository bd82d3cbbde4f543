/** A DBC as far as it was read: messages that later sections still speak of, and what is said once for all of them. */
import type { DbcMessage, DbcSignal } from './model.ts';
import { DBC_LIMITS, type DbcTokens } from './tokens.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A signal that later sections may still change. */
export type OpenSignal = Mutable<DbcSignal> & {
  /** How it stands to multiplexing: M, m1, m1M, or nothing. */
  readonly mark: string;
  /** Left out after all. */
  dropped: boolean;
};

/** A message that later sections may still change. */
export type OpenMessage = Mutable<Omit<DbcMessage, 'signals'>> & {
  readonly signals: OpenSignal[];
  readonly byName: Map<string, OpenSignal>;
  /** Its own VFrameFormat. */
  format: string | undefined;
};

/** What the sections write, and what they ask of earlier ones. */
export class DbcDraft {
  version = '';
  readonly nodes: string[] = [];
  readonly messages: OpenMessage[] = [];
  /** Null for one that was left out. */
  readonly byId = new Map<number, OpenMessage | null>();
  /** Signals of all messages. */
  signals = 0;
  readonly notes: string[] = [];
  /** Value tables by name. */
  readonly tables = new Map<string, Map<number, string>>();
  /** Values of an enumerated attribute, by its name. */
  readonly enums = new Map<string, string[]>();
  /** Attributes: what holds where nothing is said, and what is said of the whole network. */
  readonly defaults = new Map<string, string>();
  readonly network = new Map<string, string>();

  /** Says what was left out, and why. */
  note(what: string): void {
    if (this.notes.length < DBC_LIMITS.notes) this.notes.push(what);
  }

  /** The message that a later section speaks of; undefined for one that was left out or never was. */
  messageAt(tokens: DbcTokens): OpenMessage | undefined {
    const id = tokens.count('the identifier of a message', 0xffffffff);
    const message = this.byId.get(id);
    if (message === undefined) this.note(`something is said of message ${id}, which does not exist`);
    return message ?? undefined;
  }

  /** The same for a signal, named after its message. */
  signalAt(tokens: DbcTokens): OpenSignal | undefined {
    const message = this.messageAt(tokens);
    const name = tokens.name();
    return message?.byName.get(name);
  }
}
