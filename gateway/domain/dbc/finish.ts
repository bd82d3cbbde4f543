/**
 * The last step of the parser. It assigns to each multiplexed signal its multiplexor (a signal with a value that says whether the payload
 * contains the multiplexed signal), drops signals that no multiplexor can select, and marks J1939 messages.
 */
import type { DbcDraft, OpenMessage, OpenSignal } from './draft.ts';
import type { Dbc, DbcMessage } from './model.ts';
import { clip } from './tokens.ts';

/** A multiplexor may itself be selected by another multiplexor. A chain of multiplexors may have at most this length. */
const DEEPEST = 16;

/** Builds the final file from a draft after the last section was read. */
export function finishDbc(draft: DbcDraft): Dbc {
  const { version, nodes, notes } = draft;
  return { version, nodes, messages: draft.messages.map((message) => finishMessage(draft, message)), notes };
}

function finishMessage(draft: DbcDraft, message: OpenMessage): DbcMessage {
  selectSignals(draft, message);
  for (const signal of message.signals) {
    if (signal.dropped || leadsToRoot(signal, message.byName)) continue;
    signal.dropped = true;
    draft.note(`signal ${clip(signal.name)} of ${clip(message.name)} has no multiplexor and was left out`);
  }
  const { byName: _, format, signals, ...rest } = message;
  return {
    ...rest,
    j1939: message.extended && isJ1939(draft, format),
    signals: signals.filter(({ dropped }) => !dropped).map(({ mark: _, dropped: __, ...signal }) => signal),
  };
}

/** If no SG_MUL_VAL_ section names the multiplexor of a signal, the first multiplexor of the message selects it. */
function selectSignals(draft: DbcDraft, { name, signals }: OpenMessage): void {
  const [first, ...others] = signals.filter(({ mark, dropped }) => mark === 'M' && !dropped);
  let guessed = false;
  for (const signal of signals) {
    if (!signal.mark.startsWith('m')) {
      signal.selector = null;
      continue;
    }
    if (signal.selector !== null || !first) continue;
    const value = Number.parseInt(signal.mark.slice(1), 10);
    signal.selector = { by: first.name, ranges: [[value, value]] };
    guessed ||= others.length > 0;
  }
  if (guessed)
    draft.note(`message ${clip(name)} has several multiplexors; signals that name none of them use the first`);
}

/**
 * Returns true if a signal can be selected. Starting from the signal, the function goes from multiplexor to multiplexor; the last one must
 * be a signal that every payload contains.
 */
function leadsToRoot(signal: OpenSignal, byName: ReadonlyMap<string, OpenSignal>): boolean {
  let at = signal;
  for (let depth = 0; depth < DEEPEST; depth++) {
    if (!at.mark.startsWith('m')) return true;
    const above = at.selector === null ? undefined : byName.get(at.selector.by);
    if (above === undefined || !above.multiplexor || above.float || above.bits > 32) return false;
    at = above;
  }
  return false;
}

function isJ1939({ defaults, network }: DbcDraft, own: string | undefined): boolean {
  const format = own ?? defaults.get('VFrameFormat');
  if (format !== undefined) return format === 'J1939PG' || format === '3';
  return (network.get('ProtocolType') ?? defaults.get('ProtocolType')) === 'J1939';
}
