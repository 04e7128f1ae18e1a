import { useEffect, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../../../../../shared/web/problems/problem.ts';
import { blobOf, nothingReceived, type Received, readRest } from './download.ts';
import type { Export } from './use-exports.ts';

export type Download = {
  /** `interrupted` downloads continue where they ended; `damaged` files differ from those of the portal. */
  state: 'running' | 'interrupted' | 'saved' | 'damaged';
  bytes: number;
  problem?: Problem;
};

type Running = Download & { received: Received; control: AbortController };

/** Downloads go on while the user is on other pages of the console. */
const downloads = new Map<string, Running>();
const listeners = new Set<() => void>();

const announce = (): void => {
  for (const listener of listeners) listener();
};

/** Milliseconds after which the browser has taken over a file. */
const takenOverMs = 60_000;

/** Downloads a file, or the rest of an interrupted download. */
export async function download(file: Export): Promise<void> {
  const id = file.export_id;
  const former = downloads.get(id);
  if (former?.state === 'running') return;
  const received = former?.state === 'interrupted' ? former.received : nothingReceived();
  const control = new AbortController();
  const running: Running = { state: 'running', bytes: received.bytes, received, control };
  downloads.set(id, running);
  announce();
  const onProgress = () => {
    running.bytes = received.bytes;
    announceSoon();
  };
  try {
    await readRest({ file, received, signal: control.signal, onProgress });
    running.state = received.hash.digest() === file.sha256 ? 'saved' : 'damaged';
    if (running.state === 'saved') save(blobOf(received), received.fileName);
    running.received = nothingReceived();
  } catch (error) {
    running.state = 'interrupted';
    if (!control.signal.aborted) running.problem = problemOf(error);
  }
  announce();
}

/** Ends a download. What has arrived is kept. */
export const pauseDownload = (id: string): void => downloads.get(id)?.control.abort();

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), takenOverMs);
}

let isAnnounced = false;

/** Many parts arrive between two drawings. */
function announceSoon(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  requestAnimationFrame(() => {
    isAnnounced = false;
    announce();
  });
}

/** The download of an export, if there is one. */
export function useDownload(id: string): Download | undefined {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((drawn) => drawn + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return downloads.get(id);
}
