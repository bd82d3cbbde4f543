/** Checks time zones in requests. */
import { OperationError } from '#contract/base/errors.ts';
import { isZoneName } from '#contract/base/zones.ts';

/** Throws `parameter_invalid` if the text is not an IANA time zone. */
export function checkTimeZone(timezone: string): void {
  if (isZoneName(timezone)) return;
  throw new OperationError(
    'parameter_invalid',
    `${timezone} is not an IANA time zone; use one such as Europe/Berlin.`,
    {
      param: 'timezone',
    },
  );
}
