/** The requests of a site about files, on a connection of their own. */
import type { FileOffer, FileOfferAnswer } from '#contract/site/sync-files.ts';
import { LinkError, type Transport } from './transport.ts';

export interface FileClient {
  offer(offer: FileOffer): Promise<FileOfferAnswer>;
  /** Sends bytes of a file from an offset. Returns the number of bytes that head office has then. */
  put(of: { project_id: string; sha256: string; from: number; bytes: number }, piece: Buffer): Promise<number>;
  /** Reads the bytes of a file from `from` up to but not including `to`. */
  get(of: { project_id: string; sha256: string; from: number; to: number }): Promise<Buffer>;
}

const MOST_ANSWER = 256 << 10;

const pathOf = ({ project_id, sha256 }: { project_id: string; sha256: string }): string =>
  `/api/v1/sync/projects/${project_id}/files/${sha256}`;

export function createFileClient(transport: Pick<Transport, 'file'>): FileClient {
  return {
    async offer(offer) {
      const body = Buffer.from(JSON.stringify(offer));
      const headers = { 'content-type': 'application/json' };
      const got = await transport.file({
        method: 'POST',
        path: '/api/v1/sync/files',
        headers,
        body,
        most: MOST_ANSWER,
      });
      return readOffer(got.body);
    },
    async put(of, piece) {
      const headers = {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${of.from}-${of.from + piece.length - 1}/${of.bytes}`,
      };
      const { headers: sent } = await transport.file({
        method: 'PUT',
        path: pathOf(of),
        headers,
        body: piece,
        most: MOST_ANSWER,
      });
      return Number(sent['upload-offset']);
    },
    async get(of) {
      const headers = { range: `bytes=${of.from}-${of.to - 1}` };
      const got = await transport.file({ method: 'GET', path: pathOf(of), headers, most: of.to - of.from });
      return got.body;
    },
  };
}

function readOffer(body: Buffer): FileOfferAnswer {
  try {
    const answer = JSON.parse(body.toString('utf8')) as FileOfferAnswer;
    if (answer.object === 'file_offer' && Array.isArray(answer.files) && Array.isArray(answer.differs)) return answer;
  } catch {
    // The answer is not from head office.
  }
  throw new LinkError('unreachable', 'not_head_office', 'Something else than head office answers at this address.');
}
