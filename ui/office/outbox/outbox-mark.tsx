/** What pages say about writes that this browser keeps: in the header, beside a record, and before a person types. */
import { inside, t } from '#ui/languages/texts.ts';
import { FULL, fullness } from '#ui/outbox/item.ts';
import { useOutbox } from './deliver.ts';
import { countsOf, headerWords, screenWords, stateWords } from './words.ts';

/** A shape for each state, so that no state is told by colour alone. */
export function StateShape({ state }: { state: 'waiting' | 'sent' | 'refused' | 'conflict' }) {
  return (
    <svg class="outbox-shape" data-state={state} viewBox="0 0 16 16" aria-hidden="true">
      {state === 'waiting' && <path class="line" d="M8 4v4l3 2M8 1.5a6.5 6.5 0 1 0 .01 0" stroke-dasharray="3 2" />}
      {state === 'sent' && <path class="line" d="M8 1.5a6.5 6.5 0 1 0 .01 0M5 8l2.2 2.3L11.3 6" />}
      {state === 'refused' && <path class="line" d="M2.5 2.5h11v11h-11zM5.5 5.5l5 5M10.5 5.5l-5 5" />}
      {state === 'conflict' && <path class="line" d="M8 1.5 14.5 8 8 14.5 1.5 8zM5.5 6.8h5M5.5 9.2h5" />}
    </svg>
  );
}

/** In the header of every page: how many changes wait, or need a person. Nothing if everything is sent. */
export function OutboxMark() {
  const view = useOutbox();
  const words = headerWords(view);
  if (words === null) return null;
  const needs = countsOf(view).needs > 0;
  return (
    <a class={needs ? 'outbox-mark needs' : 'outbox-mark'} href="#outbox">
      <StateShape state={needs ? 'conflict' : 'waiting'} />
      {words}
    </a>
  );
}

/** On a screen on which nobody is signed in, and while the gateway does not answer. */
export function OutboxLine() {
  const words = screenWords(useOutbox());
  return words === null ? null : (
    <p class="outbox-line" role="status">
      <StateShape state="waiting" />
      {words}
    </p>
  );
}

/** Beside a record: the changes of it that are not sent yet. */
export function Kept({ subject }: { subject: string }) {
  const view = useOutbox();
  const mine = view.items.filter((item) => item.subject === subject && item.state !== 'sent');
  if (mine.length === 0) return null;
  return (
    <ul class="outbox-kept" aria-label={t('Changes that are not sent yet')}>
      {mine.map((item) => {
        const [word, text] = stateWords(item, view, false);
        return (
          <li key={item.seq}>
            <StateShape state={item.state === 'queued' ? 'waiting' : item.state === 'sent' ? 'sent' : item.state} />
            <span>
              <b>
                {item.title}: {inside(word)}
              </b>{' '}
              {text} <a href="#outbox">{t('Outbox')}</a>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Before a person types: says if this browser cannot keep more. Nothing if there is room. */
export function OutboxFull() {
  const full = fullness(useOutbox().items);
  return full === null ? null : (
    <p class="problem" role="alert">
      {t(FULL[full])}
    </p>
  );
}
