import { EventSourceParserStream } from 'eventsource-parser/stream';
import { send } from '../client/session.ts';
import { backgroundHeader } from '../client/use.ts';

/** An object that has changed. Its content is read as usual, with the rights of the user. */
export type Change = {
  kind: string;
  /** Null if many objects of the kind have changed. */
  id: string | null;
  /** Of a farm, for the kind `snapshot`. */
  list?: string;
};

export type Listener = {
  onChanges: (changes: Change[]) => void;
  /** Changes may be missing: what is shown has to be read again. */
  onReset: () => void;
};

const address = '/api/webui/aggregator/changes';

/** Milliseconds between two polls, where the portal has no streams. */
const pollMs = 2_000;
/** Milliseconds after a failure, at first and at most. */
const [shortestWaitMs, longestWaitMs] = [1_000, 30_000];

type Position = { cursor: string | undefined; etag: string | undefined };

/**
 * Follows the changes of objects until the signal: by server-sent events, or by polls where the portal answers with JSON. The
 * ordinary token goes along, which an EventSource of the browser cannot send. After an interruption it continues where it was.
 */
export async function followChanges(listener: Listener, signal: AbortSignal): Promise<void> {
  const position: Position = { cursor: undefined, etag: undefined };
  let waitMs = shortestWaitMs;
  while (!signal.aborted) {
    try {
      const source = await readOnce(position, listener, signal);
      if (source === 'forbidden') return;
      waitMs = shortestWaitMs;
      await pause(source === 'stream' ? shortestWaitMs : pollMs, signal);
    } catch {
      await pause(waitMs, signal);
      waitMs = Math.min(2 * waitMs, longestWaitMs);
    }
  }
}

type Source = 'stream' | 'page' | 'forbidden';

/** Reads a stream until it ends, or one page of changes. A user without any permission to read has no changes. */
async function readOnce(position: Position, listener: Listener, signal: AbortSignal): Promise<Source> {
  const { cursor, etag } = position;
  const url = new URL(address, location.origin);
  if (cursor !== undefined) url.searchParams.set('after', cursor);
  const answer = await send(
    new Request(url, {
      headers: {
        accept: 'text/event-stream, application/json;q=0.9',
        ...backgroundHeader,
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
      signal,
    }),
  );
  if (answer.status === 304) return 'page';
  if (answer.status === 403) return 'forbidden';
  if (!answer.ok || !answer.body) throw new Error(`the portal answered ${answer.status}`);
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await readStream(answer.body, position, listener);
  else readPage((await answer.json()) as Page, position, listener, answer.headers.get('etag'));
  return isStream ? 'stream' : 'page';
}

type Page = { items: Change[]; next: string; reset: boolean };

function readPage(
  { items, next, reset }: Page,
  position: Position,
  listener: Listener,
  etag: string | null,
): void {
  // Without a cursor the first answer is always a reset; nothing was shown before it.
  if (reset && position.cursor !== undefined) listener.onReset();
  if (items.length > 0) listener.onChanges(items);
  // An answer to another cursor has another tag.
  position.etag = next === position.cursor ? (etag ?? undefined) : undefined;
  position.cursor = next;
}

async function readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  position: Position,
  listener: Listener,
): Promise<void> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data, id } of valuesOf(events)) {
    const isFirst = position.cursor === undefined;
    if (id !== undefined) position.cursor = id;
    if (event === 'change') listener.onChanges([JSON.parse(data) as Change]);
    if (event === 'reset' && !isFirst) listener.onReset();
  }
}

/** Not all browsers iterate over streams. */
async function* valuesOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
