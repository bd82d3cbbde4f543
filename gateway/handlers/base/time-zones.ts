/** Time zones as people give them. */
import { OperationError } from '#contract/base/errors.ts';
import { isZoneName } from '#contract/base/zones.ts';

/** Throws `parameter_invalid` for what is no IANA time zone. */
export function checkTimeZone(timezone: string): void {
  if (isZoneName(timezone)) return;
  throw new OperationError('parameter_invalid', `${timezone} is no IANA time zone; take one like Europe/Berlin.`, {
    param: 'timezone',
  });
}
