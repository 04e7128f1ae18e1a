import type { ExportedFile } from '../../db/repositories/exports/files.ts';

/** Only what has ended expires: an order that waits for a sidecar is still worked. */
export const isExpired = ({ state, expires_at }: ExportedFile, now: Date): boolean =>
  (state === 'ready' || state === 'failed') && expires_at <= now;
