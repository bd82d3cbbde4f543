/**
 * Stored documents that do not fit the schema of this version, for example because a newer version wrote them.
 * A list leaves such a document out and has a warning; health names the documents until they change.
 */
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';

/** A document that an operation could not read. */
export interface Unreadable {
  /** Null for an item without an id. */
  readonly id: string | null;
  /** The fields that do not fit, or the error of the handler. */
  readonly faults: string;
  /** The stack of the handler's error. The log has it, because the error may also be a fault of the handler. */
  readonly stack?: string | undefined;
}

export interface UnreadableDocuments {
  /** Remembers the documents for health, and logs each of them once. */
  add(operation: OperationName, documents: readonly Unreadable[]): void;
  /** Returns the problem for health; empty if every document could be read. */
  problems(): { readonly code: string; readonly message: string }[];
}

/** Limit for the documents in memory. */
const MOST_DOCUMENTS = 100;
/** Limit for the documents that health names. */
const MOST_SHOWN = 5;

export function createUnreadableDocuments(store: Store, log: Log): UnreadableDocuments {
  /** The faults of each document by its id; for an item without an id, by the name of the operation. */
  const documents = new Map<string, string>();
  // A document that changed may be readable now. If a later read fails again, the document is added again.
  store.changes((changes) => {
    if (documents.size > 0) for (const { document } of changes) documents.delete(document.id);
  });
  return {
    add(operation, found) {
      for (const { id, faults, stack } of found) {
        const key = id ?? operation;
        if (documents.has(key) || documents.size >= MOST_DOCUMENTS) continue;
        documents.set(key, faults);
        log('warn', 'a stored document does not fit the schema of this version', { operation, id, faults, stack });
      }
    },
    problems() {
      if (documents.size === 0) return [];
      const shown = [...documents].slice(0, MOST_SHOWN).map(([id, faults]) => `${id} (${faults})`);
      const count = documents.size === 1 ? '1 stored document does' : `${documents.size} stored documents do`;
      const more = documents.size > MOST_SHOWN ? ', and others' : '';
      return [
        {
          code: 'documents_unreadable',
          message: `${count} not fit the schema of this version, and lists leave them out: ${shown.join(', ')}${more}. If a newer version of the gateway wrote them, install that version again.`,
        },
      ];
    },
  };
}
