import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { byteText, moment, recordColumns } from '../columns.ts';
import { farms } from './farms.ts';

/**
 * The certificate seen by a probe, with times in RFC 3339 and the SHA-256 in hexadecimal. Certificates that an earlier
 * version has stored have no `not_before` and no `fingerprint`.
 */
export type CertificateFacts = {
  subject: string;
  issuer: string;
  not_before?: string;
  not_after: string;
  fingerprint?: string;
};

/** A login domain of a node, with the node's names. */
export type NodeDomain = { authUuid: string; authSmallName: string; auth: string };

/** Dispatcher nodes. The columns from `version` on are written by probes and calls. */
export const dispatchers = pgTable(
  'dispatchers',
  {
    ...recordColumns,
    name: text().notNull(),
    name_key: byteText().notNull(),
    farm_id: uuid()
      .notNull()
      .references(() => farms.id, { onDelete: 'restrict' }),
    kind: text().notNull().default('dispatcher'),
    url: text().notNull(),
    enabled: boolean().notNull().default(true),
    priority: integer().notNull().default(1),
    verify_tls: boolean().notNull().default(true),
    ca_certificate: text(),
    health_key: text(),
    timeout_ms: integer().notNull().default(5000),
    /** The account of the portal on the node, with a sealed password. */
    account_domain: text(),
    account_name: text(),
    account_password: text(),
    /** Origin of links for users. */
    public_url: text(),
    sends_client_address: boolean().notNull().default(false),
    version: text(),
    status: text().$type<'pass' | 'fail' | 'unauthorized' | 'unknown'>().notNull().default('unknown'),
    circuit: text().$type<'closed' | 'open' | 'half_open'>().notNull().default('closed'),
    /** Consecutive failures; reset by a success. */
    circuit_failures: integer().notNull().default(0),
    circuit_opened_at: moment(),
    /** Until this time one process holds the right to probe the open circuit. */
    circuit_probe_until: moment(),
    last_check_at: moment(),
    last_error: text(),
    response_time_ms: integer(),
    certificate: jsonb().$type<CertificateFacts>(),
    /** The last report of an expiring certificate; a new certificate resets it. */
    certificate_notice: jsonb().$type<{ not_after: string; days: number }>(),
    domains: jsonb().$type<NodeDomain[]>(),
    domains_at: moment(),
  },
  (t) => [uniqueIndex('dispatchers_name_key').on(t.name_key), index('dispatchers_farm').on(t.farm_id)],
);
