/** What a webhook says about the machine of its event: one rank, one sentence, one owner, as on every screen. */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { AttentionReader } from '#contract/context.ts';
import type { Attention } from '#contract/work/attention.ts';
import { filled, ownerWords, REASON_WORDS, templatesOf } from '#contract/work/attention-words.ts';

/** The part of the body that says how urgently the machine needs people at the time of sending. */
interface Said {
  readonly attention: Omit<Attention, 'parts'> & {
    readonly equipment_id: string;
    /** The gravest reason in words; null if the machine needs nobody. */
    readonly sentence: string | null;
    /** Who is on it, in words. */
    readonly owner: string | null;
  };
}

/** Returns the machine of an event; undefined if the event is not about a machine. */
function machineOf({ subject, data }: EventData): string | undefined {
  if (subject.object === 'equipment') return subject.id;
  const { machine_id, equipment_id } = data;
  return [machine_id, equipment_id].find((id) => typeof id === 'string');
}

const minutes = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

function sentenceOf({ says, probably, trend }: Attention['reasons'][number]): string | null {
  const { seconds } = says.params;
  const [text = null] = filled(templatesOf(REASON_WORDS, { says, ...(probably !== null && { probably }) }), {
    ...says.params,
    ...probably?.params,
    trend: trend === null ? undefined : REASON_WORDS.trends[trend],
    time: seconds === undefined ? undefined : minutes(Number(seconds)),
  });
  return text;
}

/** Returns what a webhook says about the machine of an event; nothing for other events, and for a machine without a ranking. */
export async function attentionOf(event: Stored<EventData>, reader: AttentionReader | undefined): Promise<Said | null> {
  const id = machineOf(event.data);
  if (id === undefined || reader === undefined) return null;
  // A webhook is not held back because the ranking cannot be read.
  const ranking = await reader.read(event.project_id, [id]).catch(() => undefined);
  const found = ranking?.get(id);
  if (found === undefined) return null;
  const { parts: _, ...shown } = found;
  const [first] = found.reasons;
  return {
    attention: {
      ...shown,
      equipment_id: id,
      sentence: first === undefined ? null : sentenceOf(first),
      owner: first === undefined ? null : (ownerWords(REASON_WORDS, first.owner ?? undefined)[0] ?? null),
    },
  };
}
