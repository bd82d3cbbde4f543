/** Words about the writes that this browser keeps. */
import { type Item, isPassOver, MOST_ITEMS } from '#ui/outbox/item.ts';
import type { View } from '#ui/outbox/outbox.ts';

/** Numbers of the writes that wait, and that need a person. */
export function countsOf({ items }: View): { readonly waiting: number; readonly needs: number } {
  return {
    waiting: items.filter(({ state }) => state === 'queued').length,
    needs: items.filter(({ state }) => state === 'refused' || state === 'conflict').length,
  };
}

const changes = (n: number): string => (n === 1 ? '1 change' : `${n} changes`);

/** The line in the header: null if everything is sent. */
export function headerWords(view: View): string | null {
  const { waiting, needs } = countsOf(view);
  if (needs > 0) return needs === 1 ? '1 change needs you' : `${needs} changes need you`;
  if (waiting === 0) return null;
  return view.line === 'sending' ? `Sending ${changes(waiting)}` : `${changes(waiting)} to send`;
}

/** What a screen on which nobody is signed in says. */
export function screenWords(view: View): string | null {
  const { waiting, needs } = countsOf(view);
  if (waiting + needs === 0) return null;
  const kept =
    waiting === 0
      ? ''
      : `This device keeps ${changes(waiting)}, and sends ${waiting === 1 ? 'it' : 'them'} by itself. `;
  return `${kept}${needs === 0 ? '' : `${changes(needs)} ${needs === 1 ? 'needs' : 'need'} the person who wrote ${needs === 1 ? 'it' : 'them'}: sign in and open "Outbox".`}`.trim();
}

/** How far a write is: a word, and what it means. `blocked`: an earlier write of the record needs a person. */
export function stateWords(item: Item, view: View, blocked: boolean): readonly [word: string, text: string] {
  const { state, problem } = item;
  if (state === 'sent') return ['Sent', 'The gateway has it.'];
  if (state === 'conflict') {
    const says =
      problem?.code === 'revision_mismatch' ? `Somebody changed this after ${item.who} saw it.` : problem?.message;
    return ['Changed meanwhile', `${says ?? ''} Choose what counts.`];
  }
  if (state === 'refused') return ['Refused', problem?.message ?? ''];
  if (blocked) return ['Waiting', 'An earlier change of the same record needs you first.'];
  if (problem?.code === 'sign_in') return ['Waiting', 'It is sent when somebody signs in here.'];
  if (problem !== null && problem.message !== '') return ['Waiting', `${problem.message} It is sent again by itself.`];
  if (view.line === 'sending') return ['Sending', ''];
  if (view.line === 'waiting')
    return ['Waiting', 'The gateway answers, but cannot take it now. It is sent again by itself.'];
  return ['Waiting', 'It is sent by itself when the gateway answers.'];
}

/** What the person who is signed in can do about a refusal. */
export function remedy(item: Item, me: string): string {
  if (isPassOver(item))
    return item.who === me
      ? 'Read it here. If it is still right, write it now. If not, delete it.'
      : `${item.who} signs in here and decides about it.`;
  switch (item.problem?.code) {
    case 'writing_pass_refused':
      return 'The gateway may have it already. Look at the record. Then send it again, or delete it here.';
    case 'permission_denied':
      return 'Your role may not do this. Ask a supervisor.';
    case 'idempotency_key_reused':
      return 'The gateway already has a change with this id. Look at the record. Then delete this one here.';
    case 'project_not_found':
      return 'This device works in another project now. Tell an admin.';
    case 'not_found':
      return 'The record is gone. Delete this change, or write it to another record.';
    case 'limit_reached':
    case 'storage_full':
      return 'Send it again later.';
    default:
      return 'Send it again, or delete it and write it again.';
  }
}

/** From this number of kept writes on, the page says how many more fit. */
export const NEARLY = MOST_ITEMS - 100;
