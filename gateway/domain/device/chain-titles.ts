/** The titles of the steps of the diagnosis, which depend on the way of the data. */
import type { ChainStepName } from '#contract/fleet/device-diagnosis.ts';
import type { Transport } from '#contract/fleet/ingest.ts';
import { type ChainFacts, isCamera } from './chain-facts.ts';

const TITLES: Readonly<Record<Transport, Readonly<Record<ChainStepName, string>>>> = {
  mqtt: {
    connection: 'Connection',
    key: 'Key',
    topic: 'Topic',
    frames: 'Frames',
    link: 'Machine',
    decoded: 'Decoded',
  },
  http: {
    connection: 'Requests',
    key: 'Key',
    topic: 'Address',
    frames: 'Values',
    link: 'Machine',
    decoded: 'Decoded',
  },
  upload: {
    connection: 'Uploads',
    key: 'Key pair',
    topic: 'Folder',
    frames: 'Log files',
    link: 'Machine',
    decoded: 'Decoded',
  },
};

/** Returns the title of a step. */
export function titleOf(facts: ChainFacts, name: ChainStepName): string {
  if (isCamera(facts) && name === 'frames') return 'Pictures';
  if (isCamera(facts) && name === 'decoded') return 'Shown';
  if (name === 'link' && facts.machine === null && facts.location !== null) return 'Place';
  return TITLES[facts.transport][name];
}
