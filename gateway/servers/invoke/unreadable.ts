/**
 * Stored documents that do not fit the schema of this version, for example because a newer version wrote them. A list leaves such a
 * document out and has a warning. `GET /api/v1/health` names the documents until they change.
 */
import type { OperationName } from '#contract/operations.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';

/** A document that an operation could not read. */
export interface Unreadable {
  /** Id of the document; null for a list item without an id. */
  readonly id: string | null;
  /** The fields that do not fit, or the error of the handler. */
  readonly faults: string;
  /** The stack of the handler's error. The gateway logs the stack, because the cause may be a fault of the handler, not the document. */
  readonly stack?: string | undefined;
}

export interface UnreadableDocuments {
  /** Remembers the documents for `GET /api/v1/health`, and writes each of them to the log once. */
  add(operation: OperationName, documents: readonly Unreadable[]): void;
  /** Returns the problem for `GET /api/v1/health`; an empty list if every document could be read. */
  problems(): { readonly code: string; readonly message: string }[];
}

/** Largest number of unreadable documents that this module remembers. */
const MOST_DOCUMENTS = 100;
/** Largest number of unreadable documents that `GET /api/v1/health` names. */
const MOST_SHOWN = 5;

export function createUnreadableDocuments(store: Store, log: Log): UnreadableDocuments {
  /** The faults of each document, by document id, or by operation name for an item without an id. */
  const documents = new Map<string, string>();
  // Forget a document that changed: it may be readable now. If a later read fails again, that read adds it again.
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
