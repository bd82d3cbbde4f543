/** A form over something that others change too: what is typed stays, what they changed is told. */
import { useEffect, useRef } from 'preact/hooks';
import { type Change, type Facts, joined, reconcile, touched, type Value } from './draft.ts';
import { useKept } from './kept.ts';

interface Kept {
  readonly revision: number;
  readonly base: Facts;
  readonly draft: Facts;
  readonly changes: readonly Change[];
}

/** What stands at the gateway. */
export interface Standing<F extends Facts> {
  readonly revision: number;
  readonly facts: F;
}

export interface Drafting<F extends Facts> {
  /** What the form shows: what stands there, with what was typed over it. */
  readonly shown: F;
  readonly draft: Partial<F>;
  readonly changes: readonly Change[];
  /** The revision that a write of this form names: the one that the person has been shown. */
  readonly revision: number;
  readonly isTouched: boolean;
  touch<N extends keyof F & string>(name: N, value: F[N]): void;
  /** Another write came in between: takes what stands there now, and tells what it changed. */
  meet(now: Standing<F>): void;
  /** What this person sent is stored: what was typed since stays. */
  settle(now: Standing<F>): void;
  /** Takes what others put in a field, instead of what was typed. */
  yield(name: string): void;
  /** What was told has been read. */
  read(): void;
  /** The form was given up. */
  forget(): void;
}

const isEmpty = (facts: Facts) => Object.keys(facts).length === 0;

/** `now` may be read again and again; a name of its own for each thing that is edited. */
export function useDraft<F extends Facts>(name: string, now: Standing<F>): Drafting<F> {
  const [kept, setKept] = useKept<Kept>(name);
  /** What was typed while a write was under way counts too. */
  const latest = useRef(kept);
  latest.current = kept;
  const set = (next: Kept) => {
    latest.current = isEmpty(next.draft) && next.changes.length === 0 ? null : next;
    setKept(latest.current);
  };
  const move = (to: Standing<F>, told: boolean) => {
    const { base, draft, changes } = latest.current ?? { base: now.facts, draft: {}, changes: [] };
    const met = reconcile(base, to.facts, draft);
    const after = told ? joined(changes, met.changes) : [];
    set({ revision: to.revision, base: to.facts, draft: met.draft, changes: after });
  };
  useEffect(() => {
    if (kept !== null && kept.revision !== now.revision) move(now, true);
  }, [now.revision, kept?.revision]);
  const held = kept ?? { revision: now.revision, base: now.facts, draft: {}, changes: [] };
  return {
    shown: { ...held.base, ...held.draft } as F,
    draft: held.draft as Partial<F>,
    changes: held.changes,
    revision: held.revision,
    isTouched: !isEmpty(held.draft),
    touch: (field, value: Value) => set({ ...held, draft: touched(held.base, held.draft, field, value) }),
    meet: (to) => move(to, true),
    settle: (to) => move(to, false),
    yield(field) {
      const { [field]: _, ...draft } = held.draft;
      set({ ...held, draft, changes: held.changes.map((one) => (one.name === field ? { ...one, mine: false } : one)) });
    },
    read: () => set({ ...held, changes: held.changes.filter(({ mine }) => mine && !isEmpty(held.draft)) }),
    forget: () => setKept(null),
  };
}
