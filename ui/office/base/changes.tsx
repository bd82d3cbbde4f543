/** What somebody else changed while a person was writing: told, field by field, before anything is sent over it. */
import type { Change, Facts, Value } from './draft.ts';

/** Where the page has this among much else, it is found by this name. */
const PLACE = 'changed-meanwhile';

/** Leads from the button that saves to what has to be looked at before. */
export function SeeChanges({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <button type="button" class="large" onClick={() => document.getElementById(PLACE)?.scrollIntoView()}>
      See what changed
    </button>
  );
}

/** `say` puts a value of a field in words; `typed` is what this person has in the fields; `by` names who it was, when that is known. */
export function Changes(props: {
  changes: readonly Change[];
  typed: Facts;
  what: string;
  by?: string | null;
  word(name: string): string;
  say(name: string, value: Value): string;
  onYield(name: string): void;
  onRead(): void;
}) {
  const { changes, say } = props;
  if (changes.length === 0) return null;
  const mine = changes.filter((one) => one.mine);
  return (
    <section id={PLACE} class="met" role="alert" aria-label="Changed meanwhile">
      <p>
        <b>
          {props.by ?? 'Somebody else'} changed this {props.what} meanwhile.
        </b>{' '}
        {mine.length === 0
          ? 'What you typed is still here and touches none of it.'
          : 'What you typed is still here. Where both changed the same, yours goes over theirs when you save.'}
      </p>
      <ul>
        {changes.map((one) => (
          <li key={one.name}>
            <span>
              <b>{props.word(one.name)}</b>: {say(one.name, one.from) || 'nothing'} →{' '}
              {say(one.name, one.to) || 'nothing'}
              {one.mine && <small>Yours: {say(one.name, props.typed[one.name] ?? '') || 'nothing'}</small>}
            </span>
            {one.mine && (
              <button type="button" onClick={() => props.onYield(one.name)}>
                Take theirs
              </button>
            )}
          </li>
        ))}
      </ul>
      {mine.length < changes.length && (
        <button type="button" onClick={props.onRead}>
          I have seen it
        </button>
      )}
    </section>
  );
}
