/** The checksum algorithms of S3 (Amazon S3 User Guide, "Checking object integrity"). */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ChecksumName } from '#contract/fleet/bucket.ts';

export interface Running {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** Reflected polynomials of CRC-32C (RFC 3720 12.1) and of CRC-64/NVME, which is split into its high and low 32 bits. */
const CRC32C = 0x82f63b78;
const CRC64NVME = [0x9a6c9329, 0xac4bc9b5] as const;

const table32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ CRC32C : value >>> 1;
  return value;
});

const high64 = new Uint32Array(256);
const low64 = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let [high, low] = [0, byte];
  for (let bit = 0; bit < 8; bit++) {
    const odd = low & 1;
    low = (low >>> 1) | (high << 31);
    high = high >>> 1;
    if (odd) [high, low] = [high ^ CRC64NVME[0], low ^ CRC64NVME[1]];
  }
  high64[byte] = high;
  low64[byte] = low;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function hashed(name: 'sha1' | 'sha256'): Running {
  const hash = createHash(name);
  return {
    update(bytes) {
      hash.update(bytes);
    },
    digest: () => hash.digest(),
  };
}

const MAKERS: Readonly<Record<ChecksumName, () => Running>> = {
  CRC32() {
    let value = 0;
    return {
      update(bytes) {
        value = crc32(bytes, value);
      },
      digest: () => uint32(value),
    };
  },
  CRC32C() {
    let value = 0xffffffff;
    return {
      update(bytes) {
        let now = value;
        for (let i = 0; i < bytes.length; i++)
          now = (now >>> 8) ^ (table32[(now ^ (bytes[i] as number)) & 0xff] as number);
        value = now;
      },
      digest: () => uint32(~value),
    };
  },
  CRC64NVME() {
    let high = 0xffffffff;
    let low = 0xffffffff;
    return {
      update(bytes) {
        for (let i = 0; i < bytes.length; i++) {
          const at = (low ^ (bytes[i] as number)) & 0xff;
          low = ((low >>> 8) | (high << 24)) ^ (low64[at] as number);
          high = (high >>> 8) ^ (high64[at] as number);
        }
      },
      digest: () => Buffer.concat([uint32(~high), uint32(~low)]),
    };
  },
  SHA1: () => hashed('sha1'),
  SHA256: () => hashed('sha256'),
};

/** Starts the computation of a checksum. The caller passes each piece of the content to the returned `update`. */
export function startChecksum(name: ChecksumName): Running {
  return MAKERS[name]();
}

/** Returns the name of the header field of a checksum, such as `x-amz-checksum-crc32`. */
export function checksumHeader(name: ChecksumName): string {
  return `x-amz-checksum-${name.toLowerCase()}`;
}

/**
 * Returns the S3 type of a checksum. A value that ends with `-` and a number, such as `abc=-3`, is a checksum of the checksums of 3 parts
 * (`COMPOSITE`). Any other value is a checksum of the whole object (`FULL_OBJECT`).
 */
export function checksumType(value: string): 'COMPOSITE' | 'FULL_OBJECT' {
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT';
}
