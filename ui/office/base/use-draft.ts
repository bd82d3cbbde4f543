/**
 * The state of a form for an object that other people may change at the same time. The form keeps the edits, and reports the changes of
 * other people.
 */
import { useEffect, useRef } from 'preact/hooks';
import { type Change, type Facts, joined, reconcile, touched, type Value } from './draft.ts';
import { useTabState } from './tab-state.ts';

interface Kept {
  readonly revision: number;
  readonly base: Facts;
  readonly draft: Facts;
  readonly changes: readonly Change[];
}

/** The values of the edited object as the gateway stores them, and their revision. */
export interface Stored<F extends Facts> {
  readonly revision: number;
  readonly facts: F;
}

export interface DraftForm<F extends Facts> {
  /** The values of the form: the stored values with the edits applied. */
  readonly shown: F;
  readonly draft: Partial<F>;
  readonly changes: readonly Change[];
  /** The revision that the page has shown to the person. A write sends it as `if_match`. */
  readonly revision: number;
  readonly isTouched: boolean;
  touch<N extends keyof F & string>(name: N, value: F[N]): void;
  /** Applies the edits to a newer revision that another person saved, and reports what that person changed. */
  rebase(now: Stored<F>): void;
  /** Sets the stored values to the revision that this person saved. Edits made since the person pressed Save stay in the form. */
  acceptSaved(now: Stored<F>): void;
  /** Drops the edits that were sent with these values. Other edits, and edits made since then, stay in the form. */
  dropSent(sent: Partial<F>): void;
  /** Drops the edit of a field, so that the field shows the stored value. */
  takeTheirs(name: string): void;
  /** Hides reported changes that do not conflict with an edit. */
  dismiss(): void;
  /** Drops all edits. */
  discard(): void;
}

const isEmpty = (facts: Facts) => Object.keys(facts).length === 0;

/**
 * Returns the form state for an object. The tab stores the edits under `name`. `now` may be a newer revision on each render. `plain`: the
 * values of `now` without the changes that this browser keeps. An edited field is compared with these, because the person's own change of
 * the field is no change of another person.
 */
export function useDraft<F extends Facts>(name: string, now: Stored<F>, plain = now.facts): DraftForm<F> {
  const [kept, setKept] = useTabState<Kept>(name);
  /**
   * The newest state. `move` must read this state and not `kept`: while a write is in progress, a person may make further edits, which
   * `kept` does not have yet.
   */
  const latest = useRef(kept);
  latest.current = kept;
  const set = (next: Kept) => {
    latest.current = isEmpty(next.draft) && next.changes.length === 0 ? null : next;
    setKept(latest.current);
  };
  const move = (to: Stored<F>, report: boolean) => {
    const { base, draft, changes } = latest.current ?? { base: now.facts, draft: {}, changes: [] };
    const met = reconcile(base, to.facts, draft);
    const after = report ? joined(changes, met.changes) : [];
    set({ revision: to.revision, base: to.facts, draft: met.draft, changes: after });
  };
  useEffect(() => {
    if (kept === null || kept.revision === now.revision) return;
    const edited = Object.keys(latest.current?.draft ?? {}).map((field) => [field, plain[field]]);
    move({ revision: now.revision, facts: { ...now.facts, ...Object.fromEntries(edited) } }, true);
  }, [now.revision, kept?.revision]);
  const held = kept ?? { revision: now.revision, base: now.facts, draft: {}, changes: [] };
  return {
    shown: { ...held.base, ...held.draft } as F,
    draft: held.draft as Partial<F>,
    changes: held.changes,
    revision: held.revision,
    isTouched: !isEmpty(held.draft),
    touch: (field, value: Value) => set({ ...held, draft: touched(held.base, held.draft, field, value) }),
    rebase: (to) => move(to, true),
    acceptSaved: (to) => move(to, false),
    dropSent(sent) {
      const { current } = latest;
      if (current === null) return;
      const draft = Object.entries(current.draft).filter(([name, value]) => !(name in sent) || value !== sent[name]);
      // The form goes on from the values that were sent, so that a later edit of the same object does not undo them.
      set({ ...current, base: { ...current.base, ...sent }, draft: Object.fromEntries(draft) });
    },
    takeTheirs(field) {
      const { [field]: _, ...draft } = held.draft;
      set({ ...held, draft, changes: held.changes.map((one) => (one.name === field ? { ...one, mine: false } : one)) });
    },
    dismiss: () => set({ ...held, changes: held.changes.filter(({ mine }) => mine && !isEmpty(held.draft)) }),
    discard: () => setKept(null),
  };
}
