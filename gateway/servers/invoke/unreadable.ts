/**
 * Stored documents that do not fit the schema of this version, for example because a newer version wrote them. A list leaves such a
 * document out, or shows `unknown` for its values, and has a warning. `GET /api/v1/health` names the documents until they change.
 */
import { type BriefProblem, messageOf, say } from '#contract/base/told.ts';
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';

/** A document that an operation could not read, or only with `unknown` values. */
export interface Unreadable {
  /** Id of the document; null for a list item without an id. */
  readonly id: string | null;
  /** The fields that do not fit, or the error of the handler. */
  readonly faults: string;
  /** The stack of the handler's error. The gateway logs the stack, because the cause may be a fault of the handler, not the document. */
  readonly stack?: string | undefined;
  /** The document was shown, with `unknown` for some values. */
  readonly shown?: true;
}

export interface UnreadableDocuments {
  /** Remembers the documents for `GET /api/v1/health`, and writes each of them to the log once. */
  add(operation: OperationName, documents: readonly Unreadable[]): void;
  /** Returns the problem for `GET /api/v1/health`; an empty list if every document could be read. */
  problems(): BriefProblem[];
}

/** Largest number of unreadable documents that this module remembers. */
const MOST_DOCUMENTS = 100;
/** Largest number of unreadable documents that `GET /api/v1/health` names. */
const MOST_SHOWN = 5;

export function createUnreadableDocuments(store: Store, log: Log): UnreadableDocuments {
  /** The faults of each document, by document id, or by operation name for an item without an id. */
  const documents = new Map<string, Pick<Unreadable, 'faults' | 'shown'>>();
  const named = (isShown: boolean): { count: number; names: string } => {
    const found = [...documents].filter(([, { shown }]) => (shown === true) === isShown);
    const names = found.slice(0, MOST_SHOWN).map(([id, { faults }]) => `${id} (${faults})`);
    return { count: found.length, names: `${names.join(', ')}${found.length > MOST_SHOWN ? ', and others' : ''}` };
  };
  // Forget a document that changed: it may be readable now. If a later read fails again, that read adds it again.
  store.changes((changes) => {
    if (documents.size > 0) for (const { document } of changes) documents.delete(document.id);
  });
  return {
    add(operation, found) {
      for (const { id, faults, stack, shown } of found) {
        const key = id ?? operation;
        if (documents.has(key) || documents.size >= MOST_DOCUMENTS) continue;
        documents.set(key, { faults, ...(shown && { shown }) });
        log('warn', 'a stored document does not fit the schema of this version', { operation, id, faults, stack });
      }
    },
    problems() {
      const problems: BriefProblem[] = [];
      const left = named(false);
      if (left.count > 0) {
        problems.push({
          code: 'documents_unreadable',
          ...messageOf(
            say(
              '{n} stored document does not fit the schema of this version, and lists leave it out: {names}. If a newer version of the gateway wrote it, install that version again.|{n} stored documents do not fit the schema of this version, and lists leave them out: {names}. If a newer version of the gateway wrote them, install that version again.',
              { n: left.count, names: left.names },
            ),
          ),
        });
      }
      const unknown = named(true);
      if (unknown.count > 0) {
        problems.push({
          code: 'values_unknown',
          ...messageOf(
            say(
              '{n} stored document has values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.|{n} stored documents have values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.',
              { n: unknown.count, names: unknown.names },
            ),
          ),
        });
      }
      return problems;
    },
  };
}
