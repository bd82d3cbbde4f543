/** Downloads of files from the gateway. */
import { ClientError } from '#contract/client.ts';
import type { OperationName } from '#contract/operations.ts';
import { t } from '#ui/languages/texts.ts';
import { errorText, type NodeSession, type Session } from './session.ts';

/** Downloads a list as a CSV file with the given name. */
export async function saveCsv(
  { client, project }: Session,
  list: Extract<OperationName, `${string}_list`>,
  ask: Readonly<Record<string, unknown>>,
  name: string,
): Promise<void> {
  const headers = { ...client.headers(project.id), accept: 'text/csv' };
  let response: Response;
  try {
    response = await fetch(client.url(list, ask), { headers });
  } catch (error) {
    throw new Error(t('The gateway does not answer: {errorText}', { errorText: errorText(error) }));
  }
  save(await bytesOf(response), name);
}

/** Downloads a file that the gateway stores, with the given name. */
export async function saveFile({ client }: Session, id: string, name: string): Promise<void> {
  save(await bytesOf(await fetch(client.url('artifacts_content', { id }), { headers: client.headers() })), name);
}

/** The error of an answer without content. */
export async function refusalOf(response: Response): Promise<ClientError> {
  const body = (await response.json().catch(() => null)) as { error?: ClientError['error'] } | null;
  const error = body?.error ?? null;
  return new ClientError(
    error?.message ?? t('The gateway answered with status {status}.', { status: response.status }),
    response.status,
    error,
  );
}

/** Downloads the file that a person carries to the other end. Throws with the words of the gateway. */
export async function saveBundle(
  { client }: NodeSession,
  ask: { readonly gateway_id: string | undefined; readonly after: string | undefined; readonly file_bytes: number },
): Promise<void> {
  const response = await fetch(client.url('sync_courier_export', ask), { headers: client.headers() });
  if (!response.ok) throw await refusalOf(response);
  const [, name = ''] = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  save(await response.blob(), decodeURIComponent(name));
}

async function bytesOf(response: Response): Promise<Blob> {
  if (!response.ok) throw await refusalOf(response);
  return response.blob();
}

/** Downloads a text that the page itself has composed, as a file with the given name. */
export function saveText(text: string, name: string): void {
  save(new Blob([text]), name);
}

/** Starts a download in the browser. It sets a generic content type, so that the browser does not open an uploaded file as a page. */
function save(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
