/**
 * An agent without a model: it knows only what `tools/list` says and what errors say. It chooses the tool whose name and description share
 * the most words with what it wants, fills the parameters by their names, and corrects a call as the error tells it to. It is the same for
 * every version of the interface, so that two versions can be compared.
 */
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';

export type Body = Record<string, unknown>;
/** What the agent knows of the task: the name of a thing or a value, by the word for it, such as `equipment: 'LD-2'`. */
export type Facts = Readonly<Record<string, unknown>>;

interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly details: readonly { readonly id?: string; readonly name?: string; readonly allowed?: readonly string[] }[];
}

/** Sends one JSON-RPC request; returns its result and the bytes of the answer. */
export type Send = (method: string, params?: object) => Promise<{ result: unknown; bytes: number }>;

const MOST_CALLS = 12;
const STOP = new Set(
  'a an the of to for and or in on with by is are it its that this which as at be from what'.split(' '),
);
const stem = (word: string): string => word.replace(/(ies)$/, 'y').replace(/(ed|es|s|ing)$/, '');
const words = (text: string): string[] =>
  [...text.toLowerCase().matchAll(/[a-z]+/g)]
    .map(([word]) => stem(word))
    .filter((word) => word.length > 1 && !STOP.has(word));
const plural = (noun: string): string => (noun === 'equipment' ? noun : noun.replace(/y$/, 'ie').concat('s'));

export async function createAgent(send: Send) {
  const listed = await send('tools/list');
  const { tools } = listed.result as { tools: Tool[] };
  const scores = toolChoice(tools);
  const count = { calls: 0, bytes: 0, list: listed.bytes, tools: tools.length };
  let trace: string[] = [];
  let project: string | undefined;
  /** Kinds of objects of which the agent has learned that a name does not work as an id. */
  const needIds = new Set<string>();
  let left = MOST_CALLS;

  async function raw(name: string, args: Body): Promise<{ body: Body; error: ToolError | undefined }> {
    if (left-- <= 0) throw new Error('gives up: too many calls');
    count.calls++;
    const sent = project === undefined ? args : { project_id: project, ...args };
    const { result, bytes } = await send('tools/call', { name, arguments: sent });
    count.bytes += bytes;
    trace.push(name);
    const { content, structuredContent, isError } = result as CallToolResult;
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '{}';
    const body = (structuredContent ?? JSON.parse(text)) as Body;
    return { body, error: isError === true ? ((body.error ?? body) as ToolError) : undefined };
  }

  /** Calls a tool, and again as long as the error says what to change. */
  async function call(tool: Tool, facts: Facts, want: string): Promise<Body> {
    const args = argumentsOf(tool, facts);
    for (const [param, noun] of namesIn(tool, args, facts)) if (needIds.has(noun)) await find(args, param, noun);
    let wanted: unknown;
    /** Parameters that a step before the wanted one does not take. */
    const aside: Body = {};
    for (;;) {
      const { body, error } = await raw(tool.name, args);
      if (error === undefined) {
        if (wanted === undefined) return body;
        Object.assign(args, aside, { status: wanted });
        wanted = undefined;
        continue;
      }
      if (error.code === 'invalid_transition' && wanted === undefined) {
        wanted = args.status;
        const next = allowedOf(error).find((one) => !/cancel|clos/.test(one));
        if (next === undefined) throw new Error(error.message);
        args.status = next;
      } else if (
        wanted !== undefined &&
        error.param !== null &&
        error.param in args &&
        /\bonly with\b/.test(error.message)
      ) {
        aside[error.param] = args[error.param];
        delete args[error.param];
      } else if (!(await corrected(tool, args, facts, want, error))) throw new Error(`${tool.name}: ${error.message}`);
    }
  }

  /** Changes the arguments as the error says; returns false if it does not say what to change. */
  async function corrected(tool: Tool, args: Body, facts: Facts, want: string, error: ToolError): Promise<boolean> {
    const param = (error.param ?? '').replace(/[.[].*$/, '');
    if (error.code === 'project_required') {
      const { body } = await raw('projects_list', {});
      project = String((body.data as Body[])[0]?.id);
      return true;
    }
    const noun = namesIn(tool, args, facts).find(([key]) => key === param)?.[1];
    if (noun !== undefined && /id|not_found|invalid/.test(error.code)) {
      const same = error.details.find(({ name }) => name === args[param]);
      if (same?.id !== undefined) args[param] = same.id;
      else {
        needIds.add(noun);
        await find(args, param, noun);
      }
      return true;
    }
    if (error.code === 'parameter_unknown' && param in args) {
      delete args[param];
      return true;
    }
    if (error.code === 'parameter_missing' && param === 'if_match') {
      const read = tools.find(({ name }) => name === tool.name.replace(/_[a-z]+$/, '_get'));
      if (read === undefined) return false;
      args.if_match = (await raw(read.name, { id: args.id })).body.revision;
      return true;
    }
    const kinds = allowedOf(error).filter((kind) => words(want).some((word) => words(kind).includes(word)));
    if (!(param in args) || kinds[0] === undefined || kinds[0] === args[param]) return false;
    args[param] = kinds[0];
    return true;
  }

  /** Replaces a name by the id that the list of its kind has for it. */
  async function find(args: Body, param: string, noun: string): Promise<void> {
    const list = tools.find(({ name }) => name === `${plural(noun)}_list`);
    const value = [args[param]].flat()[0];
    if (list === undefined) throw new Error(`there is no list for ${noun}`);
    const { body } = await raw(list.name, 'q' in (list.inputSchema.properties ?? {}) ? { q: value } : {});
    const same = (body.data as Body[]).find((item) => Object.values(item).some((one) => one === value));
    if (same === undefined) throw new Error(`there is no ${noun} ${value}`);
    args[param] = Array.isArray(args[param]) ? [same.id] : same.id;
  }

  return {
    count,
    tools,
    /** Begins a task: the agent may make a limited number of calls for it. */
    begin() {
      left = MOST_CALLS;
      trace = [];
    },
    /** The tools that were called in this task. */
    trace: () => trace,
    /** Does what is wanted with the tool that fits best; tries the next two if it fails. */
    async do(want: string, facts: Facts = {}): Promise<Body> {
      const failures: string[] = [];
      for (const tool of scores(want, facts).slice(0, 3)) {
        try {
          return await call(tool, facts, want);
        } catch (error) {
          failures.push((error as Error).message);
        }
      }
      throw new Error(failures.join(' | ').slice(0, 400));
    },
  };
}

function allowedOf({ message, details }: ToolError): readonly string[] {
  const listed = details.flatMap(({ allowed }) => allowed ?? []);
  return listed.length > 0 ? listed : [...message.matchAll(/[a-z]+[._][a-z._]+/g)].map(([one]) => one);
}

/** Returns the parameters of a call that name an object, with the kind of object. */
function namesIn({ name }: Tool, args: Body, facts: Facts): [string, string][] {
  return Object.entries(args).flatMap(([param, value]): [string, string][] => {
    const noun = Object.keys(facts).find((fact) => [facts[fact]].flat()[0] === [value].flat()[0]);
    const isId = param === 'id' || /_ids?$/.test(param);
    return isId &&
      noun !== undefined &&
      typeof [value].flat()[0] === 'string' &&
      !/^[a-z]+_[0-9a-z]{26}$/.test(String([value].flat()[0]))
      ? [[param, param === 'id' && name.startsWith(plural(noun)) ? noun : noun]]
      : [];
  });
}

/** Puts each fact into the parameter whose name fits: the same name, the name with `_id` or `_ids`, or `id` of a tool of this kind. */
function argumentsOf({ name, inputSchema }: Tool, facts: Facts): Body {
  const properties = (inputSchema.properties ?? {}) as Record<string, { type?: string | string[] }>;
  const args: Body = {};
  for (const [fact, value] of Object.entries(facts)) {
    const names = [fact, `${fact}_id`, `${fact}_ids`, ...(fact === 'equipment' ? ['machine_id'] : [])];
    if (name.startsWith(`${plural(fact)}_`) || name.startsWith(`${fact}_`)) names.push('id');
    if (fact === 'mechanic') names.push('assigned_mechanic_ids');
    const param = names.find((one) => one in properties);
    if (param === undefined) continue;
    args[param] = [properties[param]?.type].flat().includes('array') && !Array.isArray(value) ? [value] : value;
  }
  return args;
}

/** Returns the function that sorts tools by how well they fit what is wanted. */
export function toolChoice(tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[]) {
  const texts = new Map(tools.map(({ name }) => [name, new Map<string, number>()]));
  const add = (name: string, text: string, weight: number) => {
    const own = texts.get(name);
    for (const word of words(text)) own?.set(word, Math.max(own.get(word) ?? 0, weight));
  };
  for (const { name, description = '', inputSchema } of tools) {
    add(name, name.replaceAll('_', ' '), 3);
    add(
      name,
      Object.keys(inputSchema.properties ?? {})
        .join(' ')
        .replaceAll('_', ' '),
      0.5,
    );
    for (const clause of description.split(/(?<=[.;:])\s/)) {
      const named = tools.filter((tool) => new RegExp(`\\b${tool.name}\\b`).test(clause));
      // "For a trend use x" speaks of x.
      if (named.length === 0) add(name, clause, 1);
      for (const tool of named) add(tool.name, clause, 0.5);
    }
  }
  const frequency = new Map<string, number>();
  for (const own of texts.values()) for (const word of own.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(tools.length / (frequency.get(word) ?? tools.length));

  return (want: string, facts: Facts): Tool[] => {
    const wanted = new Set(words(want));
    const score = (tool: Tool): number => {
      const own = texts.get(tool.name);
      const args = argumentsOf(tool, facts);
      const missing = (tool.inputSchema.required ?? []).filter((param) => !(param in args)).length;
      const unused = Object.keys(facts).length - Object.keys(args).length;
      let sum = -3 * missing - 3 * unused;
      for (const word of wanted) sum += (own?.get(word) ?? 0) * rarity(word);
      return sum;
    };
    return tools.toSorted((a, b) => score(b) - score(a));
  };
}
