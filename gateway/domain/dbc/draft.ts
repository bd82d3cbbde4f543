/** The result of the parser before the end of the file: messages that later sections still change, value tables and attributes. */
import type { DbcMessage, DbcSignal } from './model.ts';
import { DBC_LIMITS, type DbcTokens } from './tokens.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A signal that later sections may still change. */
export type OpenSignal = Mutable<DbcSignal> & {
  /** The multiplexing mark: `M` for a multiplexor, `m1` for a signal that value 1 selects, `m1M` for both, or the empty string. */
  readonly mark: string;
  /** True if a later section showed that the signal cannot be decoded. The result does not have this signal. */
  dropped: boolean;
};

/** A message that later sections may still change. */
export type OpenMessage = Mutable<Omit<DbcMessage, 'signals'>> & {
  readonly signals: OpenSignal[];
  readonly byName: Map<string, OpenSignal>;
  /** The attribute VFrameFormat of the message; undefined if the file does not set it for this message. */
  format: string | undefined;
};

/** Collects the messages and signals that the section readers read, and finds them again for later sections. */
export class DbcDraft {
  version = '';
  readonly nodes: string[] = [];
  readonly messages: OpenMessage[] = [];
  /** Messages by identifier; null for a message that was left out. */
  readonly byId = new Map<number, OpenMessage | null>();
  /** The number of signals of all messages. */
  signals = 0;
  readonly notes: string[] = [];
  /** Value tables by name. */
  readonly tables = new Map<string, Map<number, string>>();
  /** The list of values of each ENUM attribute, by the name of the attribute. */
  readonly enums = new Map<string, string[]>();
  /** Attributes by name: the defaults, and the values for the whole network. */
  readonly defaults = new Map<string, string>();
  readonly network = new Map<string, string>();

  /** Adds a note about a part of the file that was left out; notes after the first 100 are dropped. */
  note(what: string): void {
    if (this.notes.length < DBC_LIMITS.notes) this.notes.push(what);
  }

  /** Reads a message identifier and returns the message; undefined if the message was left out or the file does not define it. */
  messageAt(tokens: DbcTokens): OpenMessage | undefined {
    const id = tokens.count('the identifier of a message', 0xffffffff);
    const message = this.byId.get(id);
    if (message === undefined) this.note(`a section refers to message ${id}, which does not exist`);
    return message ?? undefined;
  }

  /** Reads a message identifier and a signal name, and returns the signal; undefined if the signal was left out or does not exist. */
  signalAt(tokens: DbcTokens): OpenSignal | undefined {
    const message = this.messageAt(tokens);
    const name = tokens.name();
    return message?.byName.get(name);
  }
}
