import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import type { DispatcherKindName } from '../../../shared/kernel/dispatcher-kinds.ts';
import { byteText, moment, recordColumns } from '../columns.ts';
import { farms } from './farms.ts';

/** What a probe saw of the certificate; `not_after` is RFC 3339. */
export type CertificateFacts = { subject: string; issuer: string; not_after: string };

/** One domain of a node, as the node calls it. */
export type NodeDomain = { authUuid: string; authSmallName: string; auth: string };

/** Dispatcher nodes; the lower half is written by probes, never by administrators. */
export const dispatchers = pgTable(
  'dispatchers',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'restrict' }),
    kind: text().$type<DispatcherKindName>().notNull().default('dispatcher'),
    url: text().notNull(),
    enabled: boolean().notNull().default(true),
    priority: integer().notNull().default(1),
    verify_tls: boolean().notNull().default(true),
    ca_certificate: text(),
    health_key: text(),
    timeout_ms: integer().notNull().default(5000),
    version: text(),
    status: text().$type<'pass' | 'fail' | 'unauthorized' | 'unknown'>().notNull().default('unknown'),
    circuit: text().$type<'closed' | 'open' | 'half_open'>().notNull().default('closed'),
    /** Failures in a row; a success clears them. */
    circuit_failures: integer().notNull().default(0),
    circuit_opened_at: moment(),
    /** Until then a probe of an open circuit belongs to whoever claimed it. */
    circuit_probe_until: moment(),
    last_check_at: moment(),
    last_error: text(),
    response_time_ms: integer(),
    certificate: jsonb().$type<CertificateFacts>(),
    /** What was last told of its end; another certificate begins anew. */
    certificate_notice: jsonb().$type<{ not_after: string; days: number }>(),
    domains: jsonb().$type<NodeDomain[]>(),
    domains_at: moment(),
  },
  (t) => [uniqueIndex('dispatchers_name_key').on(t.name_key), index('dispatchers_farm').on(t.farm_id)],
);
