/** Widgets: the tiles of a dashboard, and the checks of their settings. */
import { z } from 'zod';
import { freeJson, Id } from '#contract/base/common.ts';
import { isSignal, SIGNAL_NAMES } from '#contract/base/signals.ts';
import { SECRET, SHARE_KINDS, SITE_AGGREGATES, type SiteAggregate, WHOLE_SITE } from '#contract/base/widget-kinds.ts';
import { SEVERITY } from '#contract/work/alert.ts';

/** Widget types with a short description. */
const WIDGETS = {
  status_board: 'machines as tiles',
  machine_list: 'machines as rows with numbers',
  kpi: 'one value',
  bar: 'a signal over machines, sorted',
  timeseries: 'trend',
  map: 'machines over the fences of locations',
  ticket_board: 'open repairs by state',
  alert_feed: 'active alerts',
  shift_progress: 'what machines did in the current shift',
  day: 'what happened today, in sentences; `params.day`: yesterday',
  camera: 'newest picture of a device',
  text: 'a notice, `params.text`',
  qr: 'code of `params.text` or of the link to `params.share`',
} as const;
type WidgetType = keyof typeof WIDGETS;
const WIDGET_TYPES = Object.keys(WIDGETS) as WidgetType[];

/** Widget types that show values which become stale with time. */
const AGEING: ReadonlySet<WidgetType> = new Set([
  'status_board',
  'machine_list',
  'kpi',
  'bar',
  'timeseries',
  'map',
  'camera',
]);

/** Content of a `qr` widget: a text, or a reference to an object with a display link. API answers never contain the link itself. */
export const QrParams = z.union([
  z.object({ text: z.string().trim().min(1).max(800) }),
  z.object({
    share: z.object({ kind: z.enum(SHARE_KINDS), object_id: Id }),
    caption: z.string().trim().max(80).optional(),
  }),
]);

/** Signal names as a checked string. An enum would repeat the long list in the schema of every tool with a widget. */
const Signal = z
  .custom<string>((text) => typeof text === 'string' && isSignal(text), `one of ${SIGNAL_NAMES.join(', ')}`)
  .meta({
    type: 'string',
    maxLength: 64,
    description: 'Signal name such as fuel.level, engine.hours or engine.fuel_rate.',
  });

interface Drawable {
  readonly type: WidgetType;
  readonly query: {
    readonly [K in 'device_id' | 'signal' | 'aggregate' | 'equipment_id' | 'kind' | 'location_id']?: string | undefined;
  };
  readonly max_age_s?: number | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Numbers of a `kpi` widget from live values of machines. */
const MACHINE_AGGREGATES = ['sum', 'avg', 'min', 'max', 'count_running', 'count_reporting', 'utilization'] as const;
/** Returns the number about the site that a widget shows; undefined if it shows another one. */
export function siteAggregateOf({ type, query }: Pick<Drawable, 'type' | 'query'>): SiteAggregate | undefined {
  return type === 'kpi' ? SITE_AGGREGATES.find((one) => one === query.aggregate) : undefined;
}

/** The reason why a screen cannot draw the widget; undefined if it can. */
function undrawable({ type, query, max_age_s, params }: Drawable): string | undefined {
  if (max_age_s !== undefined && !AGEING.has(type))
    return `max_age_s is not allowed, because a ${type} widget has no values that age`;
  const { aggregate = '' } = query;
  if (type !== 'kpi' && SITE_AGGREGATES.some((one) => one === aggregate))
    return `only a kpi widget can show query.aggregate ${aggregate}`;
  if (WHOLE_SITE.includes(aggregate) && (query.equipment_id ?? query.kind ?? query.location_id) !== undefined)
    return `${aggregate} is known only for all machines; remove query.equipment_id, kind and location_id`;
  if (type === 'camera' && query.device_id === undefined) return 'a camera widget needs query.device_id';
  if (type === 'bar' && query.signal === undefined) return 'a bar widget needs query.signal';
  if (type !== 'qr') return undefined;
  const shown = QrParams.safeParse(params);
  if (!shown.success) return 'a qr widget needs params.text, or params.share with kind and object_id';
  return 'text' in shown.data && SECRET.test(shown.data.text)
    ? 'the text of a qr widget must not contain a key or link of this gateway; use params.share for a link'
    : undefined;
}

export const Widget = z
  .object({
    id: z.string().max(64).optional().meta({ description: 'Made if absent.' }),
    type: z.enum(WIDGET_TYPES).meta({
      description: Object.entries(WIDGETS)
        .map(([type, what]) => `${type}: ${what}`)
        .join('; '),
    }),
    title: z.string().max(80).default(''),
    query: z
      .object({
        equipment_id: Id.optional().meta({
          description: 'One machine; default: all matching machines of the project.',
        }),
        kind: z.string().max(60).optional(),
        location_id: Id.optional().meta({ description: 'Includes locations in it.' }),
        device_id: Id.optional().meta({ description: 'The camera.' }),
        min_severity: z.enum(SEVERITY).optional().meta({ description: 'For alert_feed.' }),
        signal: Signal.optional(),
        signals: z.array(Signal).max(4).optional(),
        window_s: z.number().int().min(60).max(86_400).optional().meta({ unit: 's' }),
        aggregate: z.enum([...MACHINE_AGGREGATES, ...SITE_AGGREGATES]).optional(),
      })
      .default({}),
    position: z
      .object({
        x: z.number().int().min(0).max(11),
        y: z.number().int().min(0).max(5),
        w: z.number().int().min(1).max(12),
        h: z.number().int().min(1).max(6),
      })
      .refine((p) => p.x + p.w <= 12 && p.y + p.h <= 6, 'the widget must lie inside the 12 by 6 grid'),
    max_age_s: z.number().int().min(5).max(2_592_000).optional().meta({
      description: 'Older values are stale; default: ten intervals of the signal, at least a minute.',
      unit: 's',
    }),
    thresholds: z
      .array(z.object({ at: z.number(), level: z.enum(['warning', 'critical']), below: z.boolean().default(false) }))
      .max(8)
      .default([]),
    params: freeJson(64, 64, 65_536).default({}),
  })
  .superRefine((widget, context) => {
    const message = undrawable(widget);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ id: 'Widget', description: 'One tile of a dashboard on a 12 by 6 grid.' });
export type Widget = z.infer<typeof Widget>;
export type PlacedWidget = Widget & { id: string };
