/** The topics of a device: `v1/devices/DEVICE_ID/TOPIC`. */
import type { PublishPacket } from 'aedes';
import { type DeviceIdentity, DOWN_TOPICS, UP_TOPICS, type UpTopic } from '#contract/fleet/ingest.ts';
import type { Access, DownTopic } from './broker-types.ts';

const prefixOf = (device_id: string) => `v1/devices/${device_id}/`;

/** Returns the topics that a device may publish to. */
export function upTopicsOf(device_id: string): { readonly name: Buffer; readonly topic: UpTopic }[] {
  const prefix = prefixOf(device_id);
  return UP_TOPICS.map((topic) => ({ name: Buffer.from(prefix + topic), topic }));
}

/** Returns the last part of a topic name, for example `can`. Returns undefined if the device may not publish to this topic. */
export function upTopicOf(device_id: string, name: string): UpTopic | undefined {
  return UP_TOPICS.find((topic) => prefixOf(device_id) + topic === name);
}

export function downTopicName(device_id: string, topic: DownTopic): string {
  return prefixOf(device_id) + topic;
}

/**
 * Returns true if a device may subscribe to this topic filter. The broker also calls it with a topic name, before it sends a message to the
 * device.
 */
export function maySubscribe(identity: DeviceIdentity, filter: string, access: Access | undefined): boolean {
  const prefix = prefixOf(identity.device_id);
  return DOWN_TOPICS.some((topic) => filter === prefix + topic) || access?.subscribe(identity, filter) === true;
}

/** Returns the message on the topic `time`, with which the broker tells a device the time of the gateway's clock. */
export function timePacket(device_id: string, ms: number): PublishPacket {
  const payload = JSON.stringify({ now: new Date(ms).toISOString(), ms });
  return { cmd: 'publish', topic: downTopicName(device_id, 'time'), payload, qos: 0, retain: false, dup: false };
}
