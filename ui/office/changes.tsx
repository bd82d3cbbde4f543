/** What somebody else changed while a person was writing: told, field by field, before anything is sent over it. */
import type { Change, Value } from './draft.ts';

/** `say` puts a value of a field in words; `by` names who it was, when that is known. */
export function Changes(props: {
  changes: readonly Change[];
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
    <section class="met" role="alert" aria-label="Changed meanwhile">
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
            </span>
            {one.mine && (
              <button type="button" onClick={() => props.onYield(one.name)}>
                Take theirs
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" onClick={props.onRead}>
        I have seen it
      </button>
    </section>
  );
}
