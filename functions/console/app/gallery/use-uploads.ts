import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { PortalError } from '../../../../shared/client/refusals.ts';
import { portal } from '../../../../shared/web/client/session.ts';
import { type Problem, problemOf } from '../../../../shared/web/problems/problem.ts';
import { toast } from '../../../../shared/web/ui/overlays/toasts.tsx';
import { readPictureFile } from '../../../../shared/web/ui/pictures/picture-files.ts';
import { forgetKind } from '../records/record/use-record.ts';
import { say } from '../texts.ts';
import { faultText, serviceSide } from './faults.ts';

/** A file on its way to the gallery. One that was added is no longer in the list. */
export type Upload = {
  key: string;
  file: File;
  isRunning: boolean;
  /** Why the file was not sent. */
  fault?: string;
  /** Why the portal refused it. */
  problem?: Problem;
  /** The picture of the gallery that has the same bytes. */
  existing?: string;
};

export type Uploads = {
  items: readonly Upload[];
  /** Of the files that were given since the last time that none was waiting. */
  done: number;
  total: number;
  add: (files: readonly File[]) => void;
  retry: (upload: Upload) => void;
  dismiss: (upload: Upload) => void;
};

type Outcome = Pick<Upload, 'fault' | 'problem' | 'existing'>;

const none = { done: 0, total: 0, added: 0 };

/** Adds files to the gallery one after the other. A file that fails holds up no other. */
export function useUploads(): Uploads {
  const [items, setItems] = useState<readonly Upload[]>([]);
  const replace = (key: string, changed: Upload | undefined) =>
    setItems((old) => old.flatMap((one) => (one.key === key ? (changed ?? []) : one)));
  const { done, total, start } = useQueue(async (upload) => {
    replace(upload.key, { ...upload, isRunning: true });
    const outcome = await sent(upload.file);
    replace(upload.key, outcome && { ...upload, ...outcome, isRunning: false });
    return outcome === undefined;
  });
  return {
    items,
    done,
    total,
    add: (files) => {
      const uploads = files.map((file) => ({ key: crypto.randomUUID(), file, isRunning: false }));
      setItems((old) => [...old, ...uploads]);
      start(uploads);
    },
    retry: ({ key, file }) => {
      const again = { key, file, isRunning: false };
      replace(key, again);
      start([again]);
    },
    dismiss: ({ key }) => replace(key, undefined),
  };
}

/** @param run returns whether the picture was added */
function useQueue(run: (upload: Upload) => Promise<boolean>) {
  const client = useQueryClient();
  const queue = useRef(Promise.resolve());
  const counts = useRef(none);
  const [shown, setShown] = useState(none);
  const count = (changed: typeof none) => {
    const isFinished = changed.done === changed.total;
    if (isFinished && changed.added > 0) toast(say('gallery_added', { count: changed.added }));
    counts.current = isFinished ? none : changed;
    setShown(counts.current);
  };
  const next = async (upload: Upload) => {
    const isAdded = await run(upload);
    if (isAdded) await forgetKind(client, 'picture');
    const { done, added, total } = counts.current;
    count({ total, done: done + 1, added: added + (isAdded ? 1 : 0) });
  };
  const start = (uploads: readonly Upload[]) => {
    const { total, ...rest } = counts.current;
    counts.current = { ...rest, total: total + uploads.length };
    setShown(counts.current);
    for (const upload of uploads) queue.current = queue.current.then(() => next(upload));
  };
  return { ...shown, start };
}

/** @returns undefined if the picture was added */
async function sent(file: File): Promise<Outcome | undefined> {
  const picture = await readPictureFile(file, serviceSide);
  if ('fault' in picture) return { fault: faultText(picture.fault) };
  return created(nameOf(file), picture.uri, 1).then(
    () => undefined,
    (error: unknown) => ({ problem: problemOf(error), ...existingIn(error) }),
  );
}

const limitMs = 60_000;
/** Names that are tried for one file. */
const mostNames = 20;

/** Files of different folders can have the same name, and pasted ones always have. */
async function created(name: string, image: string, attempt: number): Promise<void> {
  const tried = attempt === 1 ? name : `${name} ${attempt}`;
  try {
    const signal = AbortSignal.timeout(limitMs);
    await portal.call('picture.create', { body: { name: tried, image } }, { signal });
  } catch (error) {
    if (!isNameTaken(error) || attempt === mostNames) throw error;
    await created(name, image, attempt + 1);
  }
}

const isNameTaken = (error: unknown): boolean =>
  error instanceof PortalError &&
  error.code === 'already_exists' &&
  problemOf(error).faults?.some(({ pointer }) => pointer === '/name') === true;

function existingIn(error: unknown): Pick<Upload, 'existing'> {
  const id = error instanceof PortalError ? error.problem?.existing_id : undefined;
  return typeof id === 'string' ? { existing: id } : {};
}

/** The name of a file without its ending, as far as the portal accepts it. */
function nameOf({ name }: File): string {
  const plain = name
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replace(/[\p{C}]/gu, '')
    .trim()
    .slice(0, 120);
  return plain === '' ? say('gallery_unnamed') : plain;
}
