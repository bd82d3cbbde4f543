/** Counts the logins, requests and messages that listeners refused, per source and per device. */
import { isIP } from 'node:net';
import type { DeviceTrail, Refusal, RefusedRequest } from '#contract/fleet/ingest.ts';
import type { Sources } from '#ingest/fold/sources.ts';
import type { DeviceSettings } from './device-settings.ts';
import { createRefusedLogins, type RefusedLogin } from './refused-logins.ts';
import { createRefusedMessages } from './refused-messages.ts';

/** The refusals since the process began. */
export class Refusals {
  private readonly logins = createRefusedLogins();
  private readonly messages = createRefusedMessages();
  private readonly sources: Sources;
  private readonly settings: Pick<DeviceSettings, 'named' | 'find'>;
  private readonly clock: () => number;

  constructor(of: {
    readonly sources: Sources;
    readonly settings: Pick<DeviceSettings, 'named' | 'find'>;
    readonly clock: () => number;
  }) {
    this.sources = of.sources;
    this.settings = of.settings;
    this.clock = of.clock;
  }

  /** Counts a refused message or request. `source` is a device_id or an address; `of` names the device and the kind if they are known. */
  refused(source: string, reason: string, of?: Refusal): void {
    const now = this.clock();
    this.sources.refused(source, reason, isIP(source) !== 0, now);
    if (of !== undefined) this.messages.note(of, now);
  }

  /** Counts a login with this device_id that the broker refused. The login counts for its address, and for the device if it exists. */
  loginRefused(device_id: string, address: string, reason: string): void {
    const now = this.clock();
    this.sources.refused(address, reason, true, now);
    const device = this.settings.named(device_id);
    if (device === undefined) return;
    this.logins.note(device, address, reason, now);
    this.sources.refused(device_id, `login from ${address}: ${reason}`, false, now);
  }

  /** Counts an HTTP request that named a device but did not have its key, if the device exists. */
  requestRefused({ named, address, path, reason }: RefusedRequest): void {
    const now = this.clock();
    const found = this.settings.find(named);
    const sender = typeof reason === 'object' ? reason.sender : undefined;
    if (sender !== undefined) this.messages.note({ device: sender, what: 'place', place: path }, now);
    // The device used its own key, but wrote its device_id instead of its record id into the path. So the gateway refused the path and not
    // the key, and this is no refusal of a key.
    if (found === undefined || found.device === sender) return;
    const fault = typeof reason === 'object' ? 'wrong_key' : reason;
    this.messages.note({ device: found.device, what: 'request', address, reason: fault }, now);
    const why = fault === 'no_key' ? 'no key' : 'wrong key';
    this.sources.refused(found.device_id, `request from ${address}: ${why}`, false, now);
  }

  /** Returns the last refused login of a device; `device` is the id of its record. */
  lastLogin(device: string): RefusedLogin | undefined {
    return this.logins.last(device);
  }

  /** Returns the newest refusals of a device; `device` is the id of its record. */
  of(
    device: string,
  ): Pick<DeviceTrail, 'refused_login' | 'refused_signature' | 'refused_request' | 'refused_place' | 'refused_size'> {
    return { refused_login: this.logins.last(device) ?? null, ...this.messages.of(device) };
  }
}
