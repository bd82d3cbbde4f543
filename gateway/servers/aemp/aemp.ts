/**
 * Serves the fleet as ISO 15143-3 (AEMP 2.0) defines it: snapshots of the fleet and of one machine, and time series.
 *
 *   /aemp/v2/Fleet[/{page}]
 *   /aemp/v2/Fleet/Equipment/{ID/{unit number} | PIN/{pin} | MakeModelSerial/{make}/{model}/{serial}}
 *   ... /{element}/{start}/{end}[/{page}]
 *
 * The answer is XML unless Accept asks for JSON. A request reads one project: the project in the header `Project-ID`, or the only project
 * that its key can access.
 */
import express, { type Request, type Response, type Router } from 'express';
import { OperationError } from '#contract/base/errors.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Equipment } from '#contract/fleet/equipment.ts';
import type { Output } from '#contract/operations.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { type AempLink, aempEquipment, ELEMENTS, type ElementName, fleetXml, seriesXml, utc } from './aemp-shapes.ts';

/** Returns the stored samples of one signal of a machine; `t` is in seconds since 1970. The values of meters are totals. */
export type ReadHistory = (
  equipment_id: string,
  signal: SignalName,
  from_ms: number,
  to_ms: number,
) => Promise<{ t: readonly number[]; v: readonly number[] }>;

type Call = Omit<Parameters<Invoke['call']>[0], 'name' | 'input' | 'project_id'>;

export interface AempOptions {
  readonly invoke: Invoke;
  readonly history: ReadHistory;
  readonly clock: () => number;
  /** Identifies the caller. Throws for an unknown key, and if the caller exceeds its rate limit. */
  readonly identify: (request: Request, response: Response) => Promise<Call>;
}

/** Path prefix of all routes of this file. */
export const AEMP_PATH = '/aemp/v2';
const PER_PAGE = 100;
const MAX_MACHINES = 10_000;
/** A time series has at most one point a minute, and a page covers 100 minutes. This limits the work for one page. */
const STEP_MS = 60_000;
const SLICE_MS = PER_PAGE * STEP_MS;

/** The content of one page, with functions that write it as XML and as JSON. */
interface Page {
  readonly links: readonly AempLink[];
  xml(): string;
  json(): object;
}

/** Creates the routes below `/aemp/v2`. */
export function createAemp(options: AempOptions): Router {
  const { invoke, clock } = options;
  const router = express.Router({ caseSensitive: true, strict: true });

  /** Returns all machines of the project, oldest first. In this order a new machine does not move other machines to another page. */
  async function machinesOf(call: Call, project_id: string): Promise<Equipment[]> {
    const machines: Equipment[] = [];
    let cursor: string | null = null;
    do {
      const input: Record<string, unknown> = { limit: 200, order: 'asc', ...(cursor === null ? {} : { cursor }) };
      const { body } = await invoke.call({ ...call, name: 'equipment_list', input, project_id });
      const page = body as Output<'equipment_list'>;
      machines.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null && machines.length < MAX_MACHINES);
    return machines;
  }

  /** Returns the project in the header, or the only project that the key can access. */
  async function projectOf(request: Request, call: Call): Promise<string> {
    const named = request.get('project-id');
    if (named !== undefined) return named;
    const { body } = await invoke.call({ ...call, name: 'projects_list', input: { limit: 2 } });
    const [only, ...more] = (body as Output<'projects_list'>).data;
    if (only === undefined || more.length > 0)
      throw new OperationError(
        'project_required',
        'This key has access to several projects, or to none. Send one as `Project-ID`, or create a key for one project.',
        { param: 'Project-ID' },
      );
    return only.id;
  }

  async function fleet(request: Request, response: Response): Promise<Page> {
    const call = await options.identify(request, response);
    const page = pageOf(request.params.page);
    const machines = await machinesOf(call, await projectOf(request, call));
    const links = linksOf(call.caller.base_url, `${AEMP_PATH}/Fleet`, page, Math.ceil(machines.length / PER_PAGE));
    const snapshot = utc(clock());
    const found = machines.slice((page - 1) * PER_PAGE, page * PER_PAGE).map(aempEquipment);
    return {
      links,
      xml: () => fleetXml(links, snapshot, found),
      json: () => ({ Links: links, Version: '1', SnapshotTime: snapshot, Equipment: found }),
    };
  }

  async function machine(request: Request, response: Response): Promise<{ call: Call; found: Equipment }> {
    const call = await options.identify(request, response);
    const { unit, pin, make, model, serial } = request.params;
    const project_id = await projectOf(request, call);
    const found = (await machinesOf(call, project_id)).find((one) =>
      unit !== undefined
        ? one.unit_number === unit
        : pin !== undefined
          ? one.pin?.toUpperCase() === String(pin).toUpperCase()
          : one.oem_name === make && one.model === model && one.serial_number === serial,
    );
    if (found === undefined)
      throw new OperationError(
        'not_found',
        'No machine of this project has this unit number, PIN, or make, model and serial number.',
      );
    return { call, found };
  }

  async function single(request: Request, response: Response): Promise<Page> {
    const { call, found } = await machine(request, response);
    const links: AempLink[] = [{ rel: 'self', href: `${call.caller.base_url}${request.originalUrl}` }];
    const snapshot = utc(clock());
    const equipment = aempEquipment(found);
    return {
      links,
      xml: () => fleetXml(links, snapshot, [equipment]),
      json: () => ({ Links: links, Version: '1', SnapshotTime: snapshot, Equipment: [equipment] }),
    };
  }

  async function series(request: Request, response: Response): Promise<Page> {
    const { call, found } = await machine(request, response);
    const name = elementOf(request.params.element);
    const [from, to] = [timeOf('start', request.params.start), timeOf('end', request.params.end)];
    if (from >= to)
      throw new OperationError('parameter_invalid', 'The start must be before the end.', { param: 'start' });
    const page = pageOf(request.params.page);
    const begin = from + (page - 1) * SLICE_MS;
    const end = Math.min(begin + SLICE_MS, to) - 1;
    const { signal, of } = ELEMENTS[name];
    const { t, v } = begin >= to ? { t: [], v: [] } : await options.history(found.id, signal, begin, end);
    const points: { datetime: string }[] = [];
    let last = Number.NEGATIVE_INFINITY;
    t.forEach((second, i) => {
      const step = Math.floor((second * 1000 - from) / STEP_MS);
      if (step > last) points.push({ datetime: utc(second * 1000), ...of(v[i] as number) });
      last = step;
    });
    const whole = Number(request.params.page === undefined ? 0 : String(request.params.page).length + 1);
    const base = request.originalUrl.slice(0, request.originalUrl.length - whole);
    const links = linksOf(call.caller.base_url, base, page, Math.ceil((to - from) / SLICE_MS));
    return {
      links,
      xml: () => seriesXml(name, links, points),
      json: () => ({ Links: links, Version: '1', [name]: points }),
    };
  }

  const identifications = ['ID/:unit', 'PIN/:pin', 'MakeModelSerial/:make/:model/:serial'];
  router.all(['/Fleet', '/Fleet/:page'], servePage(fleet));
  for (const identification of identifications) {
    const machinePath = `/Fleet/Equipment/${identification}`;
    router.all(machinePath, servePage(single));
    for (const page of ['', '/:page']) router.all(`${machinePath}/:element/:start/:end${page}`, servePage(series));
  }
  return router;
}

/** Returns a route that sends a page in the format that the Accept header prefers. */
function servePage(answer: (request: Request, response: Response) => Promise<Page>) {
  return async (request: Request, response: Response): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.set('Allow', 'GET, HEAD');
      throw new OperationError('method_not_allowed', 'This path supports GET, HEAD.');
    }
    const type = request.accepts(['application/xml', 'text/xml', 'application/json']);
    if (type === false)
      throw new OperationError('not_acceptable', 'This path can answer only as application/xml or application/json.', {
        param: 'Accept',
      });
    const page = await answer(request, response);
    response.set('Cache-Control', 'no-store').type(type);
    response.send(type === 'application/json' ? JSON.stringify(page.json()) : page.xml());
  };
}

function elementOf(text: unknown): ElementName {
  if (typeof text === 'string' && Object.hasOwn(ELEMENTS, text)) return text as ElementName;
  throw new OperationError('not_found', `Time series exist only for ${Object.keys(ELEMENTS).join(', ')}.`, {
    param: 'element',
  });
}

function pageOf(text: unknown): number {
  if (text === undefined) return 1;
  if (typeof text === 'string' && /^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new OperationError('parameter_invalid', 'The page number must be 1 or greater.', { param: 'page' });
}

function timeOf(param: string, text: unknown): number {
  const ms =
    typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new OperationError('parameter_invalid', `\`${param}\` must be a UTC time such as 2026-11-21T06:00:00Z.`, {
      param,
    });
  return ms;
}

function linksOf(base_url: string, path: string, page: number, pages: number): AempLink[] {
  const last = Math.max(1, pages);
  const href = (n: number): string => `${base_url}${path}/${n}`;
  return [
    { rel: 'self', href: href(page) },
    ...(page > 1 ? [{ rel: 'prev' as const, href: href(page - 1) }] : []),
    ...(page < last ? [{ rel: 'next' as const, href: href(page + 1) }] : []),
    { rel: 'last', href: href(last) },
  ];
}
