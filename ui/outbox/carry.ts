/** Sends one write, and stores its outcome. */
import type { Holds } from './holds.ts';
import { type Item, verdict } from './item.ts';
import type { createOutcomes } from './outcomes.ts';
import { type createPost, isSmall } from './post.ts';

/** `later`: the gateway cannot take it now. `person`: it waits for a person. `unreachable`: the gateway does not answer. */
type End = 'sent' | 'later' | 'person' | 'unreachable';

export function createCarry(
  { send, readNow, hello }: ReturnType<typeof createPost>,
  { storeSent, storeProblem }: ReturnType<typeof createOutcomes>,
  { hold, free }: Holds,
) {
  return async (item: Item): Promise<End> => {
    const answer = await send(item);
    const { status, code, message, words, reason, retry_ms } = answer;
    if (status !== null && status < 300 && code === '') {
      free(item.subject);
      await storeSent(item, answer);
      return 'sent';
    }
    const problem = { code, message, reason, ...(words !== undefined && { words }) };
    const kind = verdict(status, code === 'writing_pass_refused' && reason === 'person' ? 'written_by_other' : code);
    if (kind === 'later') {
      // A photo can be too slow for the link, while everything else still arrives.
      if (status === null && (isSmall(item) || !(await hello()))) return 'unreachable';
      hold(item.subject, retry_ms);
      if (item.problem?.code !== code) await storeProblem(item, answer, { problem });
      return 'later';
    }
    if (kind === 'wait-for-person') {
      const asks = status === 401 ? { code: 'sign_in', message: '' } : problem;
      if (item.problem?.code !== asks.code) await storeProblem(item, answer, { problem: asks });
      return 'person';
    }
    await storeProblem(
      item,
      answer,
      kind === 'conflict'
        ? { state: 'conflict', problem, now: await readNow(item) }
        : { state: 'refused', problem, done_ms: Date.now() },
    );
    return 'person';
  };
}
