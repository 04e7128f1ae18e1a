import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { DispatcherKindName } from '../../../shared/kernel/dispatcher-kinds.ts';
import { dispatchers } from '../../schema/sites/dispatchers.ts';

/** Where a node was found when it was called: what it gives us is good for this destination only. */
export type Destination = {
  id: string;
  kind: DispatcherKindName;
  name: string;
  url: string;
  /** PEM */
  caCertificate?: string | undefined;
  verifyTls: boolean;
};

/** The condition that the node still has the destination that it was called at. */
export const isStillAt = ({ id, kind, name, url, caCertificate, verifyTls }: Destination): SQL | undefined =>
  and(
    eq(dispatchers.id, id),
    eq(dispatchers.kind, kind),
    eq(dispatchers.name, name),
    eq(dispatchers.url, url),
    eq(dispatchers.verify_tls, verifyTls),
    sql`${dispatchers.ca_certificate} is not distinct from ${caCertificate ?? null}`,
  );
