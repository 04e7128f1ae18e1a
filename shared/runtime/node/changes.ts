import { listenForNotices } from '../../../db/postgres/listen.ts';
import { changesWith } from '../changes.ts';
import type { Config } from '../config/config.ts';
import type { CreateChanges } from '../deps.ts';
import { isEmbeddedUrl } from '../embedded-host.ts';

/** The embedded database has no notifications, and a statement costs little there. */
const embedded = { everyMs: 500 };

/** Streams of changes of a Node process, with one more connection to the database while a stream is open. */
export function nodeChanges(
  { databaseListenUrl }: Pick<Config, 'databaseListenUrl'>,
  databaseUrl: string,
): CreateChanges {
  if (isEmbeddedUrl(databaseUrl)) return changesWith({ limits: embedded });
  const url = databaseListenUrl ?? databaseUrl;
  return changesWith({
    connectNotices: (onNotice) => listenForNotices(url, 'aggregator-changes', onNotice),
  });
}
