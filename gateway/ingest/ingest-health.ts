/** The problems and gaps of ingest that health shows. */
import { type BriefProblem, messageOf, say } from '#contract/base/told.ts';
import type { Health } from '#contract/site/node.ts';
import { AHEAD_US } from '#domain/base/times.ts';
import type { DeviceState } from '#ingest/fold/device-state.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';

const MAX_GAPS_SHOWN = 100;
const AHEAD_MS = AHEAD_US / 1000;
/**
 * The skew is the clock of a device minus the clock of the gateway, in milliseconds. If the skew of a device with old data changes by less
 * than this number from one minute to the next, the clock of the device is wrong. If the skew changes by more, the clock may be right, and
 * the device is sending old data that it had stored.
 */
const STEADY_MS = 10_000;

export type IngestProblem = BriefProblem;

/**
 * Returns the present problems. `failing_ms` is the time of the first failed commit since the last successful commit; undefined if the last
 * commit succeeded.
 */
export function problemsOf(state: FoldState, failing_ms: number | undefined, journalFailed: boolean): IngestProblem[] {
  const devices = [...state.devices.values()];
  const ahead = devices.filter((device) => (device.skew_ms ?? 0) > AHEAD_MS).length;
  const behind = devices.filter(isBehind).length;
  const found: (IngestProblem | false)[] = [
    failing_ms !== undefined && {
      code: 'facts_not_stored',
      ...messageOf(
        say(
          'The gateway could not store values and events since {since}. The messages stay in the journal. The log of the gateway has the cause.',
          { since: new Date(failing_ms).toISOString() },
        ),
      ),
    },
    journalFailed && {
      code: 'journal_failed',
      message: 'The gateway cannot write its journal, so it acknowledges no more messages of devices.',
    },
    state.setAsideTotal > 0 && {
      code: 'messages_set_aside',
      ...messageOf(
        say(
          'The gateway skipped {n} message because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.|The gateway skipped {n} messages because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.',
          { n: state.setAsideTotal },
        ),
      ),
    },
    state.refusedTotal > 0 && {
      code: 'documents_set_aside',
      ...messageOf(
        say(
          'The store refused {n} document, and the gateway skipped it. The messages from which it was made stay in the journal. The log of the gateway has the cause.|The store refused {n} documents, and the gateway skipped them. The messages from which they were made stay in the journal. The log of the gateway has the cause.',
          { n: state.refusedTotal },
        ),
      ),
    },
    ahead > 0 && {
      code: 'device_clock_ahead',
      ...messageOf(
        say(
          '{n} device has a clock more than five minutes ahead. The data of these devices does not change the live status of machines.|{n} devices have clocks more than five minutes ahead. The data of these devices does not change the live status of machines.',
          { n: ahead },
        ),
      ),
    },
    behind > 0 && {
      code: 'device_clock_behind',
      ...messageOf(
        say(
          '{n} device has a clock more than five minutes behind (a device that sends an old recording looks the same). Its data counts as old and does not change the live status of machines.|{n} devices have clocks more than five minutes behind (a device that sends an old recording looks the same). Their data counts as old and does not change the live status of machines.',
          { n: behind },
        ),
      ),
    },
  ];
  return found.filter((one) => one !== false);
}

function isBehind({ skew_ms, skew_before_ms }: DeviceState): boolean {
  if (skew_ms === null || skew_before_ms === null) return false;
  return skew_ms < -AHEAD_MS && Math.abs(skew_ms - skew_before_ms) < STEADY_MS;
}

/** Returns the open gaps (periods of lost data) in the form that health shows. */
export function gapsShown(state: FoldState): Health['gaps'] {
  return [...state.gaps.values()].slice(0, MAX_GAPS_SHOWN).map(({ what, id, from_ms, to_ms, count, bytes }) => ({
    what,
    id,
    from: new Date(from_ms).toISOString(),
    to: new Date(to_ms).toISOString(),
    count,
    bytes,
  }));
}
