/** Two boxes with one identity, such as a computer and a copy of its disk: what each tells head office, and what people see. */
import { z } from 'zod';
import { Timestamp } from '#contract/base/common.ts';

const MARK = /^[0-9a-f]{8}$/;

const said = {
  mark: z.string().regex(MARK).meta({
    description: 'Names the box: the page Head office of the box shows it. A box that is fenced takes a new one.',
  }),
  host: z.string().min(1).max(60).meta({ description: 'Host name of the box. A copy of a disk has the same.' }),
  address: z.string().max(45).nullable().meta({ description: 'Address of the box in its own network.' }),
  fenced_at: Timestamp.nullable().meta({
    description:
      'Since when head office takes nothing from this box, by the clock of the box. Null: this box is the site.',
  }),
  newest_at: Timestamp.nullable().meta({ description: 'The time of the newest data of the box.' }),
  waiting: z.number().int().min(0).meta({ description: 'Changes of the box that head office does not have.' }),
};

/** What a box tells about itself with each call. */
export const BoxReport = z.object(said);
export type BoxReport = z.infer<typeof BoxReport>;

/** What head office remembers of a box. */
export interface HeardBox extends BoxReport {
  readonly at: string;
}

export const GatewayBox = z.object({
  ...said,
  last_contact_at: Timestamp,
  kept: z.boolean().meta({ description: 'A person chose this box, and it has not heard of it yet.' }),
});
export type GatewayBox = z.infer<typeof GatewayBox>;

/** The mark of a box, as a person chooses it. */
export const boxMark = z.string().regex(MARK);

/** The person's choice, stored with the enrolment. */
export interface KeptBox {
  readonly mark: string;
  readonly at: string;
}
