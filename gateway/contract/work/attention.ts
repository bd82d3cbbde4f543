/** How urgently a machine needs people: its score, and the reasons as a code with parameters, from which each screen makes a sentence. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

/** How soon a person must attend to a machine. act: now. look: soon. note: when there is time. */
export const GRADES = ['act', 'look', 'note'] as const;
export type Grade = (typeof GRADES)[number];

/** The smallest and the largest score of a machine of each grade. No points move a machine into another grade. */
export const BANDS: Readonly<Record<Grade, readonly [least: number, most: number]>> = {
  act: [50, 99],
  look: [25, 49],
  note: [10, 24],
};

/**
 * What a reason says. The parameters of each code:
 *
 *   report         title
 *   repair         title
 *   breakdown      title (of the ticket: a person reported that the machine cannot work)
 *   value_over     signal, label, value, unit, limit
 *   value_under    signal, label, value, unit, limit
 *   value_change   label, up (the change if the value rose) or down, unit, seconds
 *   level          signal, label, value, unit, limit
 *   code           spn, fmi, and if they are known: name (of the parameter), how (the failure mode)
 *   lamp           lamp, and the parameters of `code` for the trouble code that switched it on
 *   fence_in       (none)
 *   fence_out      (none)
 *   service        text
 *   rule           rule
 *   down           title of the gravest open repair, if there is one
 *   down_running   (none)
 *   service_moving (none)
 *   silent         (none)
 *
 * A reason of grade `act` also has `speed` in km/h while the machine drives.
 */
const SENTENCES = [
  'report',
  'repair',
  'breakdown',
  'value_over',
  'value_under',
  'value_change',
  'level',
  'code',
  'lamp',
  'fence_in',
  'fence_out',
  'service',
  'rule',
  'down',
  'down_running',
  'service_moving',
  'silent',
] as const;

const Sentence = z
  .object({
    code: z.enum(SENTENCES),
    params: z.record(z.string(), z.string()).meta({ description: 'Texts and numbers, formatted for screens.' }),
  })
  .meta({
    id: 'AttentionSentence',
    description: 'What a reason says: a template of the screen fills in the parameters.',
  });
export type Sentence = z.infer<typeof Sentence>;

/**
 * Why a reason probably exists. It is named only if two signs agree. The parameters of each code:
 *
 *   coolant_leak  down (how far the coolant level fell in half an hour, in percent)
 *   oil_low       level (of the oil, in percent)
 *   not_charging  (none)
 *   no_power      value (the last voltage of the battery)
 *   link_lost     count (of machines that became silent at the same time), place
 */
const PROBABLE = ['coolant_leak', 'oil_low', 'not_charging', 'no_power', 'link_lost'] as const;

const Probable = z
  .object({ code: z.enum(PROBABLE), params: z.record(z.string(), z.string()) })
  .meta({ id: 'AttentionProbable', description: 'The probable cause of a reason, named only if two signs agree.' });
export type Probable = z.infer<typeof Probable>;

/** How a value moved in the last five minutes. still: it moved in the same direction in the five minutes before, too. */
export const TRENDS = [
  'still_rising',
  'rising',
  'rising_slowly',
  'steady',
  'falling_slowly',
  'falling',
  'still_falling',
] as const;
export type Trend = (typeof TRENDS)[number];

export const CAUSES = ['safety', 'alert', 'stop_lamp', 'down', 'conflict', 'repair', 'level', 'silent'] as const;
export type Cause = (typeof CAUSES)[number];

/** The points of which a score consists. */
const Parts = z
  .object({
    base: z.number().int().meta({ description: 'The worst open reason. It decides the grade.' }),
    worse: z.number().int().meta({ description: 'The value moved further past its limit in the last five minutes.' }),
    danger: z.number().int().meta({ description: 'Grade `act`, and the machine still runs.' }),
    owner: z.number().int().meta({ description: 'Positive: nobody is on it. Negative: somebody is.' }),
    age: z.number().int().meta({ description: 'One point for each ten minutes, at most six.' }),
    extra: z.number().int().meta({ description: 'Two points for each further reason, at most six.' }),
  })
  .meta({ id: 'AttentionParts' });
export type AttentionParts = z.infer<typeof Parts>;

const Reason = z
  .object({
    grade: z.enum(GRADES),
    cause: z.enum(CAUSES),
    says: Sentence,
    probably: Probable.nullable(),
    trend: z.enum(TRENDS).nullable(),
    since: Timestamp.nullable(),
    owner: z
      .string()
      .nullable()
      .meta({ description: 'Who is on it; empty if somebody is, and the name is not known.' }),
  })
  .meta({ id: 'AttentionReason' });

/** The answer to "why is this machine first?". */
export const Attention = z
  .object({
    grade: z.enum(GRADES).nullable().meta({ description: 'Null: the machine needs nobody.' }),
    score: z.number().int().min(0).max(99).meta({
      description: 'The sum of `parts`, kept inside the band of the grade: act 50 to 99, look 25 to 49, note 10 to 24.',
    }),
    place: z.number().int().min(1).nullable().meta({
      description: 'Place among the machines in trouble, as every screen shows it; null: not in trouble.',
    }),
    in_trouble: z.number().int().meta({ description: 'Number of machines in trouble.' }),
    parts: Parts,
    reasons: z.array(Reason).meta({ description: 'The gravest first, at most four.' }),
  })
  .meta({ id: 'Attention', description: 'How urgently a machine needs people, and why.' });
export type Attention = z.infer<typeof Attention>;
