/** Words about the writes that this browser keeps. */
import { t } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { type Item, isPassOver, MOST_ITEMS } from '#ui/outbox/item.ts';
import type { View } from '#ui/outbox/outbox.ts';

/** Numbers of the writes that wait, and that need a person. */
export function countsOf({ items }: View): { readonly waiting: number; readonly needs: number } {
  return {
    waiting: items.filter(({ state }) => state === 'queued').length,
    needs: items.filter(({ state }) => state === 'refused' || state === 'conflict').length,
  };
}

/** What the gateway said about a write, in the language of the page. */
const problemText = (problem: Item['problem']): string =>
  problem === null ? '' : toldOrEnglish(problem.message, problem.words);

const changes = (n: number): string => t('{n} change|{n} changes', { n });

/** The line in the header: null if everything is sent. */
export function headerWords(view: View): string | null {
  const { waiting, needs } = countsOf(view);
  if (needs > 0) return t('{n} change needs you|{n} changes need you', { n: needs });
  if (waiting === 0) return null;
  return view.line === 'sending'
    ? t('Sending {changes}', { changes: changes(waiting) })
    : t('{changes} to send', { changes: changes(waiting) });
}

/** What a screen on which nobody is signed in says. */
export function screenWords(view: View): string | null {
  const { waiting, needs } = countsOf(view);
  if (waiting + needs === 0) return null;
  const kept =
    waiting === 0
      ? ''
      : t(
          'This device keeps {n} change, and sends it by itself.|This device keeps {n} changes, and sends them by itself.',
          { n: waiting },
        );
  const asks =
    needs === 0
      ? ''
      : t(
          '{n} change needs the person who wrote it: sign in and open "Outbox".|{n} changes need the person who wrote them: sign in and open "Outbox".',
          { n: needs },
        );
  return `${kept} ${asks}`.trim();
}

/** How far a write is: a word, and what it means. `blocked`: an earlier write of the record needs a person. */
export function stateWords(item: Item, view: View, blocked: boolean): readonly [word: string, text: string] {
  const { state, problem } = item;
  if (state === 'sent') return [t('Sent'), t('The gateway has it.')];
  if (state === 'conflict') {
    const says =
      problem?.code === 'revision_mismatch'
        ? t('Somebody changed this after {who} saw it.', { who: item.who })
        : problemText(problem);
    return [t('Changed meanwhile'), t('{says} Choose what counts.', { says })];
  }
  if (state === 'refused') return [t('Refused'), problemText(problem)];
  if (blocked) return [t('Waiting'), t('An earlier change of the same record needs you first.')];
  if (problem?.code === 'sign_in') return [t('Waiting'), t('It is sent when somebody signs in here.')];
  if (problem !== null && problem.message !== '')
    return [t('Waiting'), t('{message} It is sent again by itself.', { message: problemText(problem) })];
  if (view.line === 'sending') return [t('Sending'), ''];
  if (view.line === 'waiting')
    return [t('Waiting'), t('The gateway answers, but cannot take it now. It is sent again by itself.')];
  return [t('Waiting'), t('It is sent by itself when the gateway answers.')];
}

/** What the person who is signed in can do about a refusal. */
export function remedy(item: Item, me: string): string {
  if (isPassOver(item))
    return item.who === me
      ? t('Read it here. If it is still right, write it now. If not, delete it.')
      : t('{who} signs in here and decides about it.', { who: item.who });
  switch (item.problem?.code) {
    case 'writing_pass_refused':
      return t('The gateway may have it already. Look at the record. Then send it again, or delete it here.');
    case 'permission_denied':
      return t('Your role may not do this. Ask a supervisor.');
    case 'idempotency_key_reused':
      return t('The gateway already has a change with this id. Look at the record. Then delete this one here.');
    case 'project_not_found':
      return t('This device works in another project now. Tell an admin.');
    case 'not_found':
      return t('The record is gone. Delete this change, or write it to another record.');
    case 'limit_reached':
    case 'storage_full':
      return t('Send it again later.');
    default:
      return t('Send it again, or delete it and write it again.');
  }
}

/** From this number of kept writes on, the page says how many more fit. */
export const NEARLY = MOST_ITEMS - 100;
