import { connectionFailed, PortalError, refusalOf } from '../../../../../shared/client/refusals.ts';
import { send } from '../../../../../shared/web/client/session.ts';
import { exportables } from './exportable.ts';
import { createSha256, type Sha256 } from './sha256.ts';
import type { Export } from './use-exports.ts';

/** What has arrived of a file. A download continues behind it. */
export type Received = {
  /** Browsers keep large blobs on disk. */
  blobs: Blob[];
  /** Bytes that are not in a blob yet. */
  parts: Uint8Array<ArrayBuffer>[];
  partBytes: number;
  bytes: number;
  hash: Sha256;
  fileName: string;
};

export const nothingReceived = (): Received => ({
  ...{ blobs: [], parts: [], partBytes: 0, bytes: 0 },
  hash: createSha256(),
  fileName: 'export',
});

/** Bytes after which parts become a blob. */
const blobBytes = 4_194_304;
/** Milliseconds without a byte after which a connection is considered lost. */
const silenceMs = 20_000;
/** Milliseconds before each further attempt without a byte in between. */
const waits = [500, 2_000, 5_000];

type Download = { file: Export; received: Received; signal: AbortSignal; onProgress: () => void };

/**
 * Reads the rest of a file. An interrupted connection is opened again behind the last byte.
 * @throws PortalError if the portal refuses, or does not answer several times in a row
 */
export async function readRest(download: Download): Promise<void> {
  const { file, received, signal } = download;
  const total = file.bytes ?? 0;
  for (let failures = 0; received.bytes < total; ) {
    const before = received.bytes;
    try {
      await readOnce(download);
    } catch (error) {
      if (signal.aborted || !isInterruption(error)) throw error;
      failures = received.bytes > before ? 0 : failures + 1;
      const wait = waits[failures];
      if (wait === undefined) throw error;
      await pause(wait, signal);
    }
  }
}

const isInterruption = (error: unknown): boolean =>
  error instanceof PortalError && (error.code === 'connection_failed' || error.status >= 500);

async function readOnce({ file, received, signal, onProgress }: Download): Promise<void> {
  const silence = new AbortController();
  const ended = AbortSignal.any([signal, silence.signal]);
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const answer = await send(requestOf(file, received.bytes, ended));
    if (!answer.ok) throw await refusalOf(answer);
    received.fileName =
      /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? received.fileName;
    const reader = answer.body?.getReader();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      note(received, next.value);
      onProgress();
    }
    if (received.bytes < (file.bytes ?? 0)) throw new TypeError('the answer is incomplete');
  } catch (error) {
    throw error instanceof PortalError || signal.aborted ? error : connectionFailed(error);
  } finally {
    clearTimeout(timer);
  }
}

const requestOf = ({ object_type, export_id }: Export, offset: number, signal: AbortSignal): Request =>
  new Request(new URL(`${exportables[object_type]?.path}/export`, location.origin), {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: '*/*', 'content-type': 'application/json' },
    body: JSON.stringify({ export_id, offset }),
    signal,
  });

function note(received: Received, bytes: Uint8Array<ArrayBuffer>): void {
  received.hash.add(bytes);
  received.parts.push(bytes);
  received.bytes += bytes.length;
  received.partBytes += bytes.length;
  if (received.partBytes >= blobBytes) intoBlob(received);
}

function intoBlob(received: Received): void {
  received.blobs.push(new Blob(received.parts));
  received.parts = [];
  received.partBytes = 0;
}

/** The whole file. */
export function blobOf(received: Received): Blob {
  intoBlob(received);
  return new Blob(received.blobs);
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
