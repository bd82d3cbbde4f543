/** What happens next in a history. */
import type { Random } from '#test/sim/random.ts';

/** How often each of these steps comes in 100 steps. One of the rare steps is the rest. */
const STEPS = [
  ['write', 52],
  ['jump', 3],
  ['cut', 8],
  ['open', 8],
  ['harm', 7],
  ['kill', 8],
] as const;
const RARE = ['keep', 'put back', 'copy', 'heal', 'clear'] as const;

export type Step = (typeof STEPS)[number][0] | (typeof RARE)[number];

export function nextStep(random: Random): Step {
  let dice = random.int(100);
  for (const [step, share] of STEPS) {
    if (dice < share) return step;
    dice -= share;
  }
  return RARE[random.int(RARE.length)] as Step;
}

/** What an end may answer to a write, because something arrived from the other end. */
export const REFUSALS: ReadonlySet<string> = new Set([
  'revision_mismatch',
  'not_found',
  'invalid_transition',
  'already_exists',
  'setup_in_progress',
  'limit_reached',
  'no_active_run',
]);
