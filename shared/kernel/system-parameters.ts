import { languages } from '../messages/languages.ts';

type ParameterDefinition<T> = {
  default: T;
  help: string;
  min?: number;
  max?: number;
  unit?: string;
  choices?: readonly string[];
  /** Regular expression that a text must match. */
  pattern?: RegExp;
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

/** Link schemes that execute code, read local files or are unencrypted. No setting can allow them. */
export const forbiddenSchemes: readonly string[] = ['javascript', 'data', 'file', 'vbscript', 'blob', 'http'];
const scheme = `(?!(?:${forbiddenSchemes.join('|')})(?:,|$))[a-z][a-z0-9+.-]{0,31}`;

/** The last use of a session is written once a minute. A shorter idle timeout would end sessions in use. */
const shortestIdleS = 120;

/** System parameters `<section>.<key>`, with default and limits. */
export const systemParameters = {
  'session.admin_absolute_s': seconds(14_400, 'An administrator session ends after this time'),
  'session.user_absolute_s': seconds(14_400, 'A user session ends after this time'),
  'session.idle_s': seconds(1_800, 'A session ends after this time without a request', shortestIdleS),
  'session.max_per_user': count(0, 0, 1_000, 'Sessions a user may have at once; 0 is no limit'),
  'lockout.max_tries': count(
    5,
    1,
    100,
    'Failed logins of an account from one network before it is locked there',
  ),
  'lockout.block_s': seconds(
    300,
    'The first lock lasts this long; each further one twice as long, one hour at most',
  ),
  'lockout.account_per_hour': count(
    50,
    1,
    100_000,
    'Failed logins an hour that lock an account for networks it has not been used from lately',
  ),
  'lockout.ip_per_minute': count(
    50,
    1,
    100_000,
    'Failed logins a minute from one address before it must wait',
  ),
  'lockout.overall_per_minute': count(
    500,
    1,
    1_000_000,
    'Failed logins a minute altogether before networks not known to be good must wait',
  ),
  'password.min_length': count(15, 8, 256, 'Shortest password'),
  'password.min_length_two_factor': count(8, 8, 256, 'Shortest password in a domain with a second factor'),
  'aggregator.access_token_ttl_s': seconds(600, 'Life of the tokens that we sign for dispatchers', 30, 600),
  'aggregator.list_deadline_ms': milliseconds(1_500, 'A list over several farms answers within this time'),
  'aggregator.call_timeout_ms': milliseconds(5_000, 'Longest single call of a dispatcher'),
  'aggregator.sync_interval_s': seconds(
    60,
    'Pools, workplaces and their sessions are read from every farm this often',
    5,
    86_400,
  ),
  'aggregator.health_interval_s': seconds(15, 'Dispatchers are probed this often', 1, 3_600),
  'aggregator.breaker_failures': count(
    3,
    1,
    100,
    'Failures in a row after which a dispatcher is not asked any more',
  ),
  'aggregator.breaker_probe_s': seconds(
    5,
    'A dispatcher that is not asked is tried again this often',
    1,
    300,
  ),
  'aggregator.services_fresh_s': seconds(
    15,
    'A list of services is not asked for again within this time',
    0,
    3_600,
  ),
  'aggregator.services_stale_s': seconds(
    600,
    'A list of services stands in for one that cannot be had for this long',
    0,
    86_400,
  ),
  'aggregator.link_schemes': {
    default: 'udss',
    pattern: new RegExp(`^(?:${scheme}(?:,${scheme})*)?$`),
    max: 256,
    help: 'Schemes of reconnect links that are passed on besides https, separated by commas',
  },
  'directory.extra_attributes': {
    default: '',
    // Object identifiers are not allowed: one attribute would have two names.
    pattern: /^(?:[A-Za-z][A-Za-z0-9_-]{0,63}(?:,[A-Za-z][A-Za-z0-9_-]{0,63})*)?$/,
    max: 2_048,
    help: 'Attributes of directories that may be read besides the usual ones, separated by commas',
  },
  'audit.retention_days': days(365, 'Audit events are kept for this long'),
  'monitoring.retention_days': days(90, 'Records of the monitoring journal are kept for this long'),
  'monitoring.site_failure_fails_health': {
    default: false,
    help: 'One failing site makes the health check fail; otherwise all must fail',
  },
  'export.keep_h': {
    default: 24,
    min: 1,
    max: 720,
    unit: 'h',
    help: 'Finished exports are kept for this long',
  },
  'export.max_rows': count(10_000_000, 1, 100_000_000, 'Longest export'),
  'limits.per_token_per_minute': count(
    6_000,
    0,
    1_000_000,
    'Requests a minute of one session; 0 is no limit',
  ),
  'limits.anonymous_per_ip_per_minute': count(
    3_000,
    0,
    1_000_000,
    'Requests a minute from one address without a valid session; 0 is no limit',
  ),
  'ui.default_language': { default: languages[0], choices: languages, help: 'Language of texts' },
  'ui.client_download_url': {
    default: '',
    pattern: /^(?:https?:\/\/[^\s/]+\S*)?$/,
    max: 1_024,
    help: 'Where users find the client program: a URL, or nothing',
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
  const parameters: Parameters = { ...(defaults as Parameters), ...overrides };
  return { ...parameters, 'session.idle_s': Math.max(shortestIdleS, parameters['session.idle_s']) };
}

/** The properties of every parameter in their common type, in the order of the table. */
export const parameterDefinitions: readonly (readonly [
  ParameterName,
  ParameterDefinition<ParameterValue>,
])[] = Object.entries(systemParameters) as [ParameterName, ParameterDefinition<ParameterValue>][];
