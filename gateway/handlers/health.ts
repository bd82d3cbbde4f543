/** Health: what works, what does not, and what each source sent that could not be used. */
import type { Handlers } from './handler.ts';

export const healthHandlers = {
  health_get: (_input, context) => context.health(),
} satisfies Handlers;
