import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BusHeard } from '#contract/fleet/bus.ts';
import { CHAIN_STEPS } from '#contract/fleet/device-diagnosis.ts';
import type { Chain } from '#domain/device/chain.ts';
import { type ValueFacts, valueChain } from '#domain/device/value-chain.ts';

const NOW = Date.parse('2026-11-22T10:00:00.000Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

const WORKS: Chain = {
  stopped_at: null,
  summary: 'Everything works.',
  steps: CHAIN_STEPS.map((step) => ({ step, title: step, state: 'ok', since: null, detail: '', remedy: null })),
};

const unit = (source_address: number, usual_name: string, seconds: number) => ({
  bus: 0,
  source_address,
  usual_name,
  name: null,
  frames: 10,
  groups: 1,
  last_heard_at: ago(seconds),
  vin: null,
  component: null,
  software: null,
  active_codes: null,
  previous_codes: null,
});

const group = (source_address: number, pgn: number, seconds: number) => ({
  bus: 0,
  source_address,
  pgn,
  acronym: 'HO',
  decoded: true,
  frames: 10,
  per_s: 1,
  last_heard_at: ago(seconds),
});

/** Hydraulic oil from the control unit at address 39, an hour ago; then what is otherwise. */
function facts(ecus: BusHeard['ecus'], groups: BusHeard['groups'], change: Partial<ValueFacts> = {}): ValueFacts {
  const nothing = { heard_at: null, rates_from: null, rates_until: null, buses: [], not_counted: 0 };
  const transport = { completed: 0, aborted: 0, lost: 0, extended: 0 };
  return {
    now: NOW,
    label: 'Hydraulic oil',
    freshness: 'none',
    value: { observed_at: ago(3600), bus: 0, source_address: 39, pgn: 65128 },
    heard: { ...nothing, transport, ecus, groups },
    ...change,
  };
}

const stop = (chain: Chain) => {
  const one = chain.steps.find(({ step }) => step === chain.stopped_at);
  return { step: one?.step, state: one?.state, since: one?.since, text: `${one?.detail} ${one?.remedy}` };
};

test('[D175] a silent control unit is named, with one that still sends and what to check', () => {
  const chain = valueChain(WORKS, facts([unit(0, 'Engine #1', 1), unit(39, 'Hydraulics', 2100)], []));
  const { text, ...rest } = stop(chain);
  assert.deepEqual(rest, { step: 'frames', state: 'broken', since: ago(2100) });
  assert.match(text, /No frames from Hydraulics \(address 39\) any more\. Engine #1 \(address 0\) still sends\./);
  assert.match(text, /Check the plug and the power of Hydraulics/);
  assert.equal(chain.steps.at(-1)?.state, 'unknown');
  assert.equal(chain.steps.find(({ step }) => step === 'link')?.state, 'ok');
});

test('[D175] a control unit that sends, but not the group of the value, points to the sensor', () => {
  const chain = valueChain(WORKS, facts([unit(39, 'Hydraulics', 1)], [group(39, 65128, 2100), group(39, 1, 1)]));
  assert.deepEqual([stop(chain).step, stop(chain).since], ['frames', ago(2100)]);
  assert.match(stop(chain).text, /still sends, but not PGN 65128 \(HO\), which contains Hydraulic oil/);
});

test('[D175] frames without a valid value stop at the step decoded', () => {
  const chain = valueChain(WORKS, facts([unit(39, 'Hydraulics', 1)], [group(39, 65128, 1)]));
  assert.deepEqual([stop(chain).step, stop(chain).since], ['decoded', ago(3600)]);
  assert.match(stop(chain).text, /arrives, but Hydraulics .* no valid value of Hydraulic oil/);
});

test('[D175] a value that is not from a bus, and one that never came, stop at the step decoded', () => {
  const http = { observed_at: ago(3600), bus: null, source_address: null, pgn: null };
  assert.match(stop(valueChain(WORKS, facts([], [], { value: http }))).text, /The device still sends, but not Hydra/);
  assert.match(stop(valueChain(WORKS, facts([], [], { value: undefined }))).text, /never sent Hydraulic oil\./);
});

test('[D175] a device that stops is the reason, and a current value needs none', () => {
  const stopped: Chain = { ...WORKS, stopped_at: 'connection', summary: 'The device has stopped sending.' };
  assert.equal(valueChain(stopped, facts([unit(39, 'Hydraulics', 2100)], [])), stopped);
  assert.equal(valueChain(WORKS, facts([unit(39, 'Hydraulics', 2100)], [], { freshness: 'ageing' })), WORKS);
});
