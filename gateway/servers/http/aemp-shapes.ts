/**
 * Machines as ISO 15143-3 (AEMP 2.0) writes them, in XML and in JSON. An element carries the time of its own value in `datetime`;
 * what is unknown is left out, never zero. Shapes after the public descriptions of the standard's users; the standard itself is not free.
 */

import type { SignalName } from '#contract/base/signals.ts';
import type { Equipment } from '#contract/fleet/equipment.ts';
import { escapeMarkup } from '#servers/base/markup.ts';

type Scalar = string | number | boolean;
/** One element: `datetime` is an attribute in XML and a name like the others in JSON. */
export type AempElement = { readonly datetime?: string } & { readonly [child: string]: Scalar };
/** What a machine has to tell, by element name, in the standard's order. */
export type AempEquipment = Readonly<Record<string, AempElement>>;

export interface AempLink {
  readonly rel: 'self' | 'prev' | 'next' | 'last';
  readonly href: string;
}

interface ElementRow {
  readonly signal: SignalName;
  readonly field: keyof Equipment;
  of(value: number): Readonly<Record<string, Scalar>>;
}

/** Elements that one signal fills, and that have a time series. */
export const ELEMENTS = {
  CumulativeOperatingHours: { signal: 'engine.hours', field: 'engine_hours', of: (Hour) => ({ Hour }) },
  FuelUsed: {
    signal: 'engine.fuel_used',
    field: 'fuel_used_l',
    of: (FuelConsumed) => ({ FuelUnits: 'litre', FuelConsumed }),
  },
  Distance: {
    signal: 'vehicle.odometer',
    field: 'odometer_km',
    of: (Odometer) => ({ OdometerUnits: 'kilometre', Odometer }),
  },
  CumulativeIdleHours: { signal: 'engine.idle_hours', field: 'idle_hours', of: (Hour) => ({ Hour }) },
  FuelRemaining: { signal: 'fuel.level', field: 'fuel_remaining_pct', of: (Percent) => ({ Percent }) },
  DEFRemaining: { signal: 'def.level', field: 'def_remaining_pct', of: (Percent) => ({ Percent }) },
  CumulativePowerTakeOffHours: { signal: 'engine.pto_hours', field: 'pto_hours', of: (Hour) => ({ Hour }) },
} as const satisfies Record<string, ElementRow>;
export type ElementName = keyof typeof ELEMENTS;

/** A machine with its latest known values. */
export function aempEquipment(machine: Equipment): AempEquipment {
  const elements: Record<string, AempElement> = { EquipmentHeader: header(machine) };
  const place = location(machine);
  if (place !== undefined) elements.Location = place;
  for (const [name, { field, of }] of Object.entries(ELEMENTS)) {
    const value = machine[field];
    const datetime = machine.context.fields?.[field]?.observed_at;
    if (typeof value === 'number') elements[name] = { ...(datetime ? { datetime: utc(datetime) } : {}), ...of(value) };
  }
  if (machine.live_status !== 'unknown')
    elements.EngineStatus = {
      ...(machine.last_live_data_at === null ? {} : { datetime: utc(machine.last_live_data_at) }),
      EngineNumber: '1',
      Running: machine.live_status !== 'off',
    };
  return elements;
}

/** Where the machine was, as of the older half of the fix; half a place is none. */
function location({ latitude_deg, longitude_deg, context }: Equipment): AempElement | undefined {
  if (latitude_deg === null || longitude_deg === null) return undefined;
  const times = ['latitude_deg', 'longitude_deg'].map((field) => context.fields?.[field]?.observed_at);
  const oldest = times.filter((time) => time != null).sort()[0];
  return {
    ...(oldest === undefined ? {} : { datetime: utc(oldest) }),
    Latitude: latitude_deg,
    Longitude: longitude_deg,
  };
}

function header(machine: Equipment): AempElement {
  const told: Record<string, Scalar | null> = {
    OEMName: machine.oem_name,
    Model: machine.model,
    EquipmentID: machine.unit_number,
    SerialNumber: machine.serial_number,
    PIN: machine.pin,
  };
  return Object.fromEntries(Object.entries(told).filter((entry): entry is [string, Scalar] => entry[1] !== null));
}

/** A moment as the standard writes it: UTC, whole seconds. */
export function utc(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

const NAMESPACE = 'http://standards.iso.org/iso/15143/-3';

/** The XML of a snapshot: `Fleet` with one `Equipment` each. */
export function fleetXml(links: readonly AempLink[], snapshot: string, machines: readonly AempEquipment[]): string {
  const inner = machines.map((one) => `<Equipment>${Object.entries(one).map(elementXml).join('')}</Equipment>`);
  return document('Fleet', `version="1" snapshotTime="${snapshot}"`, links, inner.join(''));
}

/** The XML of a time series: the same element again and again. */
export function seriesXml(name: string, links: readonly AempLink[], points: readonly AempElement[]): string {
  return document(`${name}Messages`, 'version="1"', links, points.map((point) => elementXml([name, point])).join(''));
}

function document(root: string, attributes: string, links: readonly AempLink[], inner: string): string {
  const list = links.map(({ rel, href }) => `<Links><rel>${rel}</rel><href>${xmlText(href)}</href></Links>`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}" ${attributes}>${list}${inner}</${root}>\n`;
}

function elementXml([name, { datetime, ...children }]: readonly [string, AempElement]): string {
  const inner = Object.entries(children).map(([child, value]) => `<${child}>${xmlText(String(value))}</${child}>`);
  return `<${name}${datetime === undefined ? '' : ` datetime="${datetime}"`}>${inner.join('')}</${name}>`;
}

/** Text for XML 1.0: markup escaped, and what XML cannot hold (2.2) replaced. */
function xmlText(text: string): string {
  return escapeMarkup(text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu, '\uFFFD'));
}
