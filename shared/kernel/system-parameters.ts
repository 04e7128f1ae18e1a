type Fact<T> = { default: T; help: string; min?: number; max?: number; unit?: string };

const seconds = (value: number, help: string, min = 1, max = 2_592_000): Fact<number> => ({
  default: value,
  min,
  max,
  unit: 's',
  help,
});
const milliseconds = (value: number, help: string): Fact<number> => ({
  default: value,
  min: 100,
  max: 60_000,
  unit: 'ms',
  help,
});
const count = (value: number, min: number, max: number, help: string): Fact<number> => ({
  default: value,
  min,
  max,
  help,
});

/** Every system parameter: `<section>.<key>`, its default and its bounds. */
export const systemParameters = {
  'session.admin_absolute_s': seconds(14_400, 'An administrator session ends after this time'),
  'session.user_absolute_s': seconds(14_400, 'A user session ends after this time'),
  'session.idle_s': seconds(1_800, 'A session ends after this time without a request'),
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
  'password.min_length': count(15, 8, 256, 'Shortest password'),
  'password.min_length_two_factor': count(8, 8, 256, 'Shortest password in a domain with a second factor'),
  'aggregator.access_token_ttl_s': seconds(600, 'Life of the tokens that we sign for dispatchers', 30, 600),
  'aggregator.list_deadline_ms': milliseconds(1_500, 'A list over several farms answers within this time'),
  'aggregator.call_timeout_ms': milliseconds(5_000, 'Longest single call of a dispatcher'),
  'aggregator.health_interval_s': seconds(15, 'Dispatchers are probed this often', 1, 3_600),
  'monitoring.site_failure_fails_health': {
    default: false,
    help: 'One failing site makes the health check fail; otherwise all must fail',
  },
  'ui.default_language': { default: 'en', help: 'Language of texts' },
  'ui.client_download_url': { default: '', help: 'Where users find the client program' },
} as const satisfies Record<string, Fact<number> | Fact<string> | Fact<boolean>>;

type Facts = typeof systemParameters;
type Widen<T> = T extends number ? number : T extends boolean ? boolean : string;
export type Parameters = { readonly [Name in keyof Facts]: Widen<Facts[Name]['default']> };

const defaults = Object.fromEntries(
  Object.entries(systemParameters).map(([name, fact]) => [name, fact.default]),
);

/** @param overrides what the database holds; names that this version does not know are ignored */
export function parametersFrom(overrides: Record<string, unknown> | null): Parameters {
  return { ...(defaults as Parameters), ...overrides };
}
