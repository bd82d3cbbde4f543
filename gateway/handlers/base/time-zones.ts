/** Checks time zones in requests. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import { isZoneName } from '#contract/base/zones.ts';

/** Throws `parameter_invalid` if the text is not an IANA time zone. */
export function checkTimeZone(timezone: string): void {
  if (isZoneName(timezone)) return;
  throw new OperationError(
    'parameter_invalid',
    say('{timezone} is not an IANA time zone; use one such as Europe/Berlin.', { timezone }),
    {
      param: 'timezone',
    },
  );
}
