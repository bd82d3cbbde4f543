/**
 * Converts machines to the XML and JSON of ISO 15143-3 (AEMP 2.0). Each element has the time of its value in `datetime`. If a value is
 * unknown, the element is left out; it is never sent as zero. The shapes follow public descriptions of the interface, because the text of
 * the standard must be bought.
 */

import type { SignalName } from '#contract/base/signals.ts';
import type { Equipment } from '#contract/fleet/equipment.ts';
import { escapeMarkup } from '#servers/base/markup.ts';

type Scalar = string | number | boolean;
/** One element of a machine, such as its location. In XML, `datetime` is an attribute; in JSON it is a member like the others. */
export type AempElement = { readonly datetime?: string } & { readonly [child: string]: Scalar };
/** The elements of one machine by name, in the order of the standard. */
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

/** The elements that have the value of one signal. The gateway also serves a time series of each. */
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

/** Returns the elements of a machine with its latest known values. */
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

/**
 * Returns the location of a machine; undefined if latitude or longitude is unknown. If latitude and longitude have different times, the
 * location has the older time.
 */
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
  const fields: Record<string, Scalar | null> = {
    OEMName: machine.oem_name,
    Model: machine.model,
    EquipmentID: machine.unit_number,
    SerialNumber: machine.serial_number,
    PIN: machine.pin,
  };
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Scalar] => entry[1] !== null));
}

/** Formats a time as the standard does: UTC, in whole seconds. */
export function utc(time: string | number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

const NAMESPACE = 'http://standards.iso.org/iso/15143/-3';

/** Returns the XML of a snapshot: a `Fleet` with one `Equipment` for each machine. */
export function fleetXml(links: readonly AempLink[], snapshot: string, machines: readonly AempEquipment[]): string {
  const inner = machines.map((one) => `<Equipment>${Object.entries(one).map(elementXml).join('')}</Equipment>`);
  return document('Fleet', `version="1" snapshotTime="${snapshot}"`, links, inner.join(''));
}

/** Returns the XML of a time series: the same element once for each point. */
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

/** Escapes text for XML, and replaces characters that XML 1.0 does not allow (2.2) by U+FFFD. */
function xmlText(text: string): string {
  return escapeMarkup(text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}/gu, '\uFFFD'));
}
