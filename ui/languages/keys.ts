/** The texts that pages translate. A call with a text that is not in this list does not compile, and neither does a language that lacks one. */
import type { SIGNALS, SignalName } from '#contract/base/signals.ts';
import type { FailureMode } from '#contract/fleet/failure-modes.ts';
import type { QR_CAPTIONS } from '#contract/site/live.ts';
import type { REASON_WORDS } from '#contract/work/attention-words.ts';
import type { DAY_WORDS } from '#contract/work/day.ts';
import type { OfficeText } from '#ui/languages/es/office.ts';
import type { PhoneText } from './phone-keys.ts';

/** All texts in a table of texts. */
type Leaves<T> = T extends string
  ? T
  : { readonly [K in keyof T]: Leaves<T[K]> }[keyof T & (T extends readonly unknown[] ? number : keyof T)];

/** Texts of the sentences of reasons. A text that consists of parameters only is the same in every language. */
type ReasonText = Exclude<Leaves<typeof REASON_WORDS>, Bare>;
type Bare =
  | '{label} {value} {unit}, {trend}'
  | '{label} {value} {unit}'
  | '{value} {unit}'
  | '{label}'
  | '{title}'
  | '{text}'
  | '{rule}'
  | '{name}'
  | '{name}: {how}'
  | 'SPN {spn}: {how}'
  | 'SPN {spn} FMI {fmi}'
  | '{lamp}: {name} {how}'
  | '{lamp}';

/** Texts that the gateway sends to screens as they are: names of signals, failure modes, kinds, and columns. */
type SentText =
  | (typeof SIGNALS)[SignalName]['label']
  | FailureMode
  | 'Running now'
  | 'Work in known time'
  | 'Fuel this shift'
  | 'Longest down this shift'
  | 'Oldest open repair'
  | 'Worked yesterday'
  | 'Reporting'
  | 'machine'
  | 'machines'
  | 'no machines yet'
  | (typeof QR_CAPTIONS)[keyof typeof QR_CAPTIONS]
  | 'This code is not ready'
  | 'Unknown device'
  | 'A newer version wrote this tile. This version does not know it.'
  | 'In progress'
  | 'On hold'
  | 'Fixed'
  | 'Flagged'
  | 'Stop lamp'
  | 'Amber lamp'
  | 'Engine lamp'
  | 'Protect lamp'
  | 'Trouble codes'
  | 'No trouble code'
  | 'Left the geofence'
  | 'Inside the geofence'
  | 'No new data: disk fault'
  | 'No new data: disk full'
  | 'No new data: disk almost full'
  | 'Trends have gaps: disk almost full'
  | 'No new data: memory full'
  | 'Times are wrong: clock not set'
  | 'Haul truck'
  | 'Excavator'
  | 'Wheel loader'
  | 'Dozer'
  | 'Grader'
  | 'Drill'
  | 'Water truck'
  | 'Crusher'
  | 'Generator'
  | 'Light vehicle'
  | 'today'
  | 'from the control unit'
  | 'counted by the gateway'
  | 'entered by a person'
  | 'sent by a device'
  | 'from an unknown source'
  | 'a person must check this meter'
  | 'engine hours'
  | 'distance'
  | 'meter';

/** Texts that the gateway sends to screens with their parameters filled in. The first that fits a text counts, so `{size} left` is behind `{n} days left`. */
export const TEMPLATES = [
  'of {n} in the fleet',
  '{some} of {all} running',
  '{some} of {all} reporting',
  '{some} of {all} known',
  'of the known time',
  'target {n} %',
  '{n} % unknown',
  'none down',
  'no open repairs',
  '{n} without position',
  '{n} off the map',
  '{label} total',
  '{label} average',
  '{label} lowest',
  '{label} highest',
  '{label}, last half hour',
  '{label}: no data for {time}',
  '{label}: no data',
  '{label} up {change} in {time}',
  '{label} down {change} in {time}',
  '{code}, 1 more code',
  '{code}, {n} more codes',
  '{plan} is due on {date}, {left}',
  '{plan} is due at {due}: {meter}, {left}',
  '1 day left',
  '1 day past',
  '{n} days left',
  '{n} days past',
  '{size} left',
  '{size} past',
  '{n} of an unknown unit',
] as const;

/** Texts of the wall: of the TV page, its tiles, and the pages for old TVs. */
type ScreenText =
  | '+{count} more'
  | ', took {age}'
  | 'A pairing code appears in a few seconds.'
  | 'About this screen'
  | 'above'
  | 'access'
  | 'acknowledged'
  | 'acknowledged by {name}'
  | 'Age'
  | 'Alerts'
  | 'All fine'
  | 'All heard in the last {age}'
  | 'All {all} machines heard in the last {age}'
  | 'Also here: {names}'
  | 'Also: {text}.'
  | 'each point: mean of {age}'
  | 'and {count} more'
  | 'approval'
  | 'As it was at {time}'
  | 'as of {age} ago'
  | 'Back to normal'
  | 'Back to normal since {time}'
  | 'Board changes'
  | 'But running'
  | 'But running now'
  | 'Calm for {age}.'
  | 'Check first: is the gateway on, and does this screen have its network?'
  | 'Clock difference'
  | 'Coolant level down {down} %: probably a leak.'
  | 'Counted until {time}'
  | 'critical'
  | 'Day shift'
  | 'Demo'
  | 'Down'
  | 'Engine on'
  | 'Engine still running.'
  | 'Fine'
  | 'for {age}'
  | 'For {age}, since {time}'
  | 'Gateway'
  | 'Headframe screen'
  | 'held {age}'
  | 'high'
  | 'Idle'
  | 'info'
  | 'It was revoked, paused or replaced. A pairing code appears in a few seconds.'
  | 'Its battery had {value} V.'
  | 'labor'
  | 'last known {time}'
  | 'Last known:'
  | 'Last message'
  | 'last picture, {taken}'
  | 'Last trouble:'
  | 'last value, {age} ago'
  | 'last {value}'
  | 'last {value}, {age} ago'
  | 'last, {age} ago'
  | 'late'
  | 'late {age}'
  | 'limit {limit}'
  | 'Limit {limit} {unit}.'
  | 'Link'
  | 'live'
  | 'live at {time}'
  | 'live {age} ago'
  | 'Loading the boards'
  | 'Look first'
  | 'low'
  | 'Machines'
  | 'Map of the site'
  | 'medium'
  | 'Memory'
  | 'Most urgent'
  | 'most urgent, {sentence}'
  | 'N'
  | 'never'
  | 'next in {age}'
  | 'Night shift'
  | 'No active alerts'
  | 'No alerts'
  | 'No board has content yet. Choose the boards of this screen on the office page.'
  | 'No data'
  | 'No data for this shift yet'
  | 'no data from {who} since {time}'
  | 'no data from {who} yet'
  | 'No data in this period yet'
  | 'No data yet'
  | 'No link to the gateway. Use the radio.'
  | 'no machine linked'
  | 'No machine needs anybody now'
  | 'No machines yet'
  | 'No machines yet. Add one on the office page.'
  | 'No open repairs'
  | 'No picture'
  | 'No picture for {age}'
  | 'No picture yet'
  | 'No positions and no fences yet'
  | 'No shift is running'
  | 'No state'
  | 'None'
  | 'North is up'
  | 'not assigned'
  | 'Not live since {time}, retrying'
  | 'Not live since {time}. All below is old.'
  | 'Not live since {time}. This screen cannot reach the gateway. All below is old.'
  | 'not live, {age}'
  | 'Nothing has needed attention for {age}.'
  | 'Nothing urgent'
  | 'Now {speed} {unit}.'
  | 'Off'
  | 'Oil level {level} %: probably too little oil.'
  | 'On the Screens page, enter this code'
  | 'Open repairs'
  | 'Open the gateway'
  | 'Open {host}'
  | 'Open {host}. On the page Screens, enter this code:'
  | 'or scan with a phone'
  | 'other'
  | 'Over at {time}'
  | 'Over at {time}, {owner}'
  | 'Page'
  | 'page {page} / {all}'
  | 'Pair this screen'
  | 'parts'
  | 'Picture not available'
  | 'Playlist'
  | 'QR code of {text}'
  | 'QR code: {caption}'
  | 'reported {status}, but running now'
  | 'Retired'
  | 'retrying, attempt {count}'
  | 'Running'
  | 'running'
  | 'Safety'
  | 'safety critical'
  | 'seen'
  | 'Service'
  | 'Shift'
  | 'shown above'
  | 'Site'
  | 'Standby'
  | 'State unknown'
  | 'Status unknown'
  | 'Still driving.'
  | 'The engine runs: probably the alternator.'
  | 'The gateway answers, but has no boards yet. Trying again.'
  | 'The gateway does not answer. Trying again.'
  | 'The rest: {fine} of {all} fine'
  | 'This link is not valid'
  | 'This picture is not available'
  | 'This playlist has no boards to show now.'
  | 'This screen'
  | 'This screen cannot reach the gateway. Use the radio for anything urgent.'
  | 'This screen is no longer shared'
  | 'This text is too long for a QR code'
  | 'This tile has an error'
  | 'This video is not available'
  | 'Treat as still true until somebody has looked.'
  | 'Unknown'
  | 'unknown'
  | 'Unknown machine'
  | 'vendor'
  | 'Waiting for the gateway'
  | 'waiting for {what}'
  | 'Waiting. A new code appears when this one expires.'
  | 'warning'
  | 'Was already silent'
  | 'Was most urgent'
  | 'Was silent'
  | 'was {value} {unit}'
  | 'Was: {text}'
  | 'weather'
  | 'Working'
  | '{age} ago'
  | '{age} left'
  | '{build}, up {age}'
  | '{count} machines there went silent together.'
  | '{count} more:'
  | '{fine} of {all} fine'
  | '{from} to {to}, {age} left'
  | '{gone} elapsed, {left} left'
  | '{gone} of {all} elapsed'
  | '{heard} of {all} machines heard in the last {age}'
  | '{label} was {value} {unit}'
  | '{label} was {value} {unit}, {trend}'
  | '{name} shift'
  | '{name} was on it'
  | '{new} of {all} not acknowledged'
  | '{n} alert|{n} alerts'
  | '{n} code|{n} codes'
  | '{n} running|{n} running'
  | '{n} idle'
  | '{n} off|{n} off'
  | '{n} in service'
  | '{n} no data'
  | '{n} new|{n} new'
  | '{n} y|{n} y'
  | '{n} d'
  | '{n} d {h} h'
  | '{n}d'
  | '{n} machine|{n} machines'
  | '{place} of {all}'
  | '{reporting} of {n} machine reporting|{reporting} of {n} machines reporting'
  | '{shift} starts at {time}'
  | '{shift} starts at {time}, in {age}'
  | '{silent} of {all} machines send no data.'
  | '{status}, but running'
  | '{status}, but running now'
  | '{turns}, {skipped} skipped'
  | '{who} added at {time}';

/** Texts of the summary of a day. */
export type DayText = Leaves<typeof DAY_WORDS> | 'The summary is being made' | 'Today' | 'until {time}' | 'Yesterday';

/** All texts of the wall, besides those of the summary of a day. */
export type WallText = ScreenText | ReasonText | SentText | (typeof TEMPLATES)[number];

/** All texts. Those of the office are the keys of its Spanish tables. */
export type Text = WallText | DayText | PhoneText | OfficeText;
