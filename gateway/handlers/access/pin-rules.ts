/** Which new PINs are refused because people choose them often, and which roles may have a PIN. */
import { OperationError } from '#contract/base/errors.ts';
import { part, say } from '#contract/base/told.ts';
import { PIN_ROLES, type UserData } from '#contract/site/user.ts';

/** Common PINs that fit no rule below: columns, rows and crosses of the keypad, steps of two, and pi. */
const COMMON = new Set([
  '147258',
  '147852',
  '159357',
  '159753',
  '258369',
  '258456',
  '314159',
  '321654',
  '357159',
  '369258',
  '456123',
  '741852',
  '753951',
  '789456',
  '852456',
  '951753',
  '963852',
  '102030',
  '131415',
  '135790',
  '142536',
  '246810',
  '420420',
]);

/** Returns why a PIN is easy to guess; undefined if it is not. */
function weakness(pin: string): string | undefined {
  const digits = [...pin].map(Number);
  if (new Set(digits).size === 1) return 'one repeated digit';
  for (const [step, words] of [
    [1, 'a rising sequence'],
    [9, 'a falling sequence'],
  ] as const)
    if (digits.every((digit, i) => i === 0 || digit === ((digits[i - 1] ?? 0) + step) % 10)) return words;
  if (pin.slice(0, 2).repeat(3) === pin || pin.slice(0, 3).repeat(2) === pin) return 'a repeated group of digits';
  if ([...pin].reverse().join('') === pin) return 'the same forwards and backwards';
  if (/^(\d)\1(\d)\2(\d)\3$|^(\d)\4\4(\d)\5\5$/.test(pin)) return 'pairs or triples of digits';
  if (new Set(digits).size === 2) return 'only two different digits';
  return COMMON.has(pin) ? 'one of the most common PINs' : undefined;
}

/** Throws `parameter_invalid` if a PIN is easy to guess. The message says why. */
export function checkNewPin(pin: string, param: string): void {
  const why = weakness(pin);
  if (why !== undefined)
    throw new OperationError(
      'parameter_invalid',
      say('The PIN {pin} is easy to guess: it is {why}. Choose another PIN.', { pin, why: part(why) }),
      {
        param,
      },
    );
}

/** Throws `permission_denied` if people with this role sign in with a passphrase only. */
export function checkPinRole({ name, role }: Pick<UserData, 'name' | 'role'>): void {
  if (!PIN_ROLES.some((one) => one === role))
    throw new OperationError(
      'permission_denied',
      say(
        '{name} has the role {role}. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short for their rights. For work on a shared tablet, create a second user with another role.',
        { name, role: part(role) },
      ),
    );
}
