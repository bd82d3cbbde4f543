/** Parses server-sent events (HTML Living Standard 9.2.6) from a fetch. EventSource cannot send the Authorization header. */

/** Reads a stream of server-sent events and calls `onEvent` for each event that has data. Resolves when the stream ends. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (name: string, data: string) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    let end = text.indexOf('\n\n');
    while (end >= 0) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const pick = (key: string) => lines.find((line) => line.startsWith(`${key}: `))?.slice(key.length + 2) ?? '';
      if (pick('data') !== '') onEvent(pick('event'), pick('data'));
      end = text.indexOf('\n\n');
    }
  }
}
