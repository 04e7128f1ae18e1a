import { languages } from '../messages/languages.ts';
import type { ProfileName } from './addresses/profiles.ts';
import { schemeList } from './link-schemes.ts';

type ParameterDefinition<T> = {
  default: T;
  help: string;
  min?: number;
  max?: number;
  unit?: string;
  choices?: readonly string[];
  /** Regular expression that a text must match. */
  pattern?: RegExp;
  /** The profile of a text that is an address. An empty text is accepted as well. */
  address?: ProfileName;
};

const seconds = (value: number, help: string, min = 1, max = 2_592_000): ParameterDefinition<number> => ({
  default: value,
  min,
  max,
  unit: 's',
  help,
});
const milliseconds = (value: number, help: string): ParameterDefinition<number> => ({
  default: value,
  min: 100,
  max: 60_000,
  unit: 'ms',
  help,
});
const days = (value: number, help: string): ParameterDefinition<number> => ({
  default: value,
  min: 1,
  max: 36_500,
  unit: 'd',
  help,
});
const count = (value: number, min: number, max: number, help: string): ParameterDefinition<number> => ({
  default: value,
  min,
  max,
  help,
});

/** The last use of a session is written once a minute. A shorter idle timeout would end sessions in use. */
const shortestIdleS = 120;

/** System parameters `<section>.<key>`, with default and limits. */
export const systemParameters = {
  'session.admin_absolute_s': seconds(14_400, 'Maximum duration of an administrator session'),
  'session.user_absolute_s': seconds(14_400, 'Maximum duration of a user session'),
  'session.idle_s': seconds(1_800, 'Time without a request after which a session ends', shortestIdleS),
  'session.max_per_user': count(
    0,
    0,
    1_000,
    'Maximum number of simultaneous sessions of a user. 0 means no limit',
  ),
  'lockout.max_tries': count(
    5,
    1,
    100,
    'Number of failed logins from one network after which the account is locked for that network',
  ),
  'lockout.block_s': seconds(
    300,
    'Duration of the first lock of an account. Each further lock lasts twice as long, at most one hour',
  ),
  'lockout.account_per_hour': count(
    50,
    1,
    100_000,
    'Number of failed logins per hour after which an account is locked for networks without a recent successful login of this account',
  ),
  'lockout.ip_per_minute': count(
    50,
    1,
    100_000,
    'Number of failed logins per minute from one address after which further logins from it are rejected temporarily',
  ),
  'lockout.overall_per_minute': count(
    500,
    1,
    1_000_000,
    'Number of failed logins per minute in the whole installation after which logins from networks without a recent successful login are rejected temporarily',
  ),
  'password.min_length': count(15, 8, 256, 'Minimum number of characters of a password'),
  'password.min_length_two_factor': count(
    8,
    8,
    256,
    'Minimum number of characters of a password in a domain with a second factor',
  ),
  'service_tokens.own': {
    default: false,
    help: 'If true, users can create service tokens for their own account. A token of a directory user stays valid after the account is disabled in the directory, until the portal disables the user',
  },
  'aggregator.access_token_ttl_s': seconds(
    600,
    'Validity of the tokens that the portal signs for dispatchers',
    30,
    600,
  ),
  'aggregator.list_deadline_ms': milliseconds(
    1_500,
    'Time limit for lists that are collected from several farms',
  ),
  'aggregator.call_timeout_ms': milliseconds(5_000, 'Time limit for a single call to a dispatcher'),
  'aggregator.sync_interval_s': seconds(
    60,
    'Interval at which pools, workplaces and workplace sessions are read from each farm',
    5,
    86_400,
  ),
  'aggregator.health_interval_s': seconds(15, 'Interval between health probes of a dispatcher', 1, 3_600),
  'aggregator.breaker_failures': count(
    3,
    1,
    100,
    'Number of consecutive failures after which the circuit breaker of a dispatcher opens',
  ),
  'aggregator.breaker_probe_s': seconds(
    5,
    'Interval between trial calls to a dispatcher with an open circuit breaker',
    1,
    300,
  ),
  'aggregator.services_fresh_s': seconds(
    15,
    'Time for which a cached service list is used without reading it again',
    0,
    3_600,
  ),
  'aggregator.services_stale_s': seconds(
    600,
    'Time for which a cached service list is used if a farm does not answer',
    0,
    86_400,
  ),
  'aggregator.link_schemes': {
    default: 'udss',
    pattern: schemeList,
    max: 256,
    help: 'Schemes of reconnect links that are allowed in addition to https, separated by commas',
  },
  'aggregator.confirmed_link_schemes': {
    default: '',
    pattern: schemeList,
    max: 256,
    help: 'Schemes of links that belong to no known viewer, and whose program an administrator knows, separated by commas',
  },
  'directory.extra_attributes': {
    default: '',
    // Object identifiers are not allowed: one attribute would have two names.
    pattern: /^(?:[A-Za-z][A-Za-z0-9_-]{0,63}(?:,[A-Za-z][A-Za-z0-9_-]{0,63})*)?$/,
    max: 2_048,
    help: 'Directory attributes that may be read in addition to the standard ones, separated by commas',
  },
  'oidc.recheck_s': seconds(
    900,
    'Interval at which identity providers are asked whether sessions may continue. 0 means never',
    0,
    86_400,
  ),
  'audit.retention_days': days(365, 'Retention time of audit events'),
  'monitoring.retention_days': days(90, 'Retention time of monitoring records'),
  'alerts.email_to': {
    default: '',
    pattern: /^(?:[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*(?:,(?!$)|$)){0,20}$/,
    max: 1_024,
    help: 'E-mail addresses that receive critical monitoring records, separated by commas, at most 20. Requires SMTP_URL',
  },
  'monitoring.site_failure_fails_health': {
    default: false,
    help: 'If true, the health check fails if any site fails. If false, it fails only if all sites fail',
  },
  'export.keep_h': {
    default: 24,
    min: 1,
    max: 720,
    unit: 'h',
    help: 'Retention time of finished exports',
  },
  'export.max_rows': count(10_000_000, 1, 100_000_000, 'Maximum number of rows of an export'),
  'limits.per_token_per_minute': count(
    6_000,
    0,
    1_000_000,
    'Maximum number of requests per minute in one session. 0 means no limit',
  ),
  'limits.anonymous_per_ip_per_minute': count(
    3_000,
    0,
    1_000_000,
    'Maximum number of requests per minute from one address without a valid session. 0 means no limit',
  ),
  'ui.default_language': {
    default: languages[0],
    choices: languages,
    help: 'Language of users who have not chosen one',
  },
  'ui.client_download_url': {
    default: '',
    address: 'download',
    max: 1_024,
    help: 'Download URL of the client program, or an empty text',
  },
} as const satisfies Record<
  string,
  ParameterDefinition<number> | ParameterDefinition<string> | ParameterDefinition<boolean>
>;

type SystemParameters = typeof systemParameters;
export type ParameterName = keyof SystemParameters;
export type ParameterValue = number | string | boolean;
type Widen<T> = T extends number ? number : T extends boolean ? boolean : string;
export type Parameters = {
  readonly [Name in keyof SystemParameters]: Widen<SystemParameters[Name]['default']>;
};

const defaults = Object.fromEntries(
  Object.entries(systemParameters).map(([name, fact]) => [name, fact.default]),
);

/** @param overrides values stored in the database; unknown names are ignored */
export function parametersFrom(overrides: Record<string, unknown> | null): Parameters {
  if (overrides === null) return defaultParameters;
  return withOverrides(overrides);
}

function withOverrides(overrides: Record<string, unknown>): Parameters {
  const parameters: Parameters = { ...(defaults as Parameters), ...overrides };
  return { ...parameters, 'session.idle_s': Math.max(shortestIdleS, parameters['session.idle_s']) };
}

const defaultParameters = withOverrides({});

/** The properties of every parameter in their common type, in the order of the table. */
export const parameterDefinitions: readonly (readonly [
  ParameterName,
  ParameterDefinition<ParameterValue>,
])[] = Object.entries(systemParameters) as [ParameterName, ParameterDefinition<ParameterValue>][];
