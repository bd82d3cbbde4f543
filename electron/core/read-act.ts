/** Checks the messages of the shell page. */
import { z } from 'zod';
import { ACTIONS, type Act } from './shell-channels.ts';

const MOST_FIELDS = 10;
const Message = z.strictObject({
  id: z.enum(ACTIONS),
  fields: z.record(z.string().max(40), z.string().max(500)).refine((all) => Object.keys(all).length <= MOST_FIELDS),
});

/** Reads a message of the shell page; undefined if it is not an action. */
export function readAct(message: unknown): Act | undefined {
  return Message.safeParse(message).data;
}
