import { and, eq, type SQL, sql } from 'drizzle-orm';
import { dispatchers } from '../../schema/sites/dispatchers.ts';

/** The destination of a node at the time of a call. Keys and results are valid for this destination only. */
export type Destination = {
  id: string;
  kind: string;
  name: string;
  url: string;
  /** PEM */
  caCertificate?: string | undefined;
  verifyTls: boolean;
  /** The account that obtains keys. A new password does not end them. */
  account?: { domain: string; name: string } | undefined;
};

/** The condition that the destination of the node has not changed since the call. */
export const isStillAt = ({
  id,
  kind,
  name,
  url,
  caCertificate,
  verifyTls,
  account,
}: Destination): SQL | undefined =>
  and(
    eq(dispatchers.id, id),
    eq(dispatchers.kind, kind),
    eq(dispatchers.name, name),
    eq(dispatchers.url, url),
    eq(dispatchers.verify_tls, verifyTls),
    sql`${dispatchers.ca_certificate} is not distinct from ${caCertificate ?? null}`,
    sql`${dispatchers.account_domain} is not distinct from ${account?.domain ?? null}`,
    sql`${dispatchers.account_name} is not distinct from ${account?.name ?? null}`,
  );
