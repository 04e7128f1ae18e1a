import type { ExportedFile } from '../../db/repositories/exports/files.ts';

/** Only completed exports expire. An export that waits for a sidecar is still built. */
export const isExpired = ({ state, expires_at }: ExportedFile, now: Date): boolean =>
  (state === 'ready' || state === 'failed') && expires_at <= now;
