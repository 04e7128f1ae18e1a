import { createApi } from '../../e2e/support/api.ts';
import { alice, domain } from '../../simulator/demo/seed.ts';
import { median, rounded } from '../load.ts';
import type { Stand } from '../stand.ts';

export type Refusals = {
  attempts_each: number;
  /** Refused logins by their cause. */
  median_ms: Record<string, number>;
  /** The largest difference of two medians relative to the smaller one: it must not reveal whether an account exists. */
  difference: number;
};

const wrong = {
  'wrong password': { username: alice.name, authSmallName: domain.small_name },
  'unknown user': { username: 'nobody', authSmallName: domain.small_name },
  'unknown domain': { username: alice.name, authSmallName: 'nowhere' },
  'unknown domain id': { username: alice.name, authId: '01900000-0000-7000-8000-000000000000' },
};
/** No request may be refused because of a rate limit. */
const lockout = {
  max_tries: { value: 100 },
  account_per_hour: { value: 100_000 },
  ip_per_minute: { value: 100_000 },
  overall_per_minute: { value: 1_000_000 },
};

/** Sequential logins with the kinds in turns, so that drift affects all equally. */
export async function measureRefusals(
  { portalUrl, adminToken }: Pick<Stand, 'portalUrl' | 'adminToken'>,
  attempts: number,
): Promise<Refusals> {
  const api = createApi(portalUrl);
  const set = await api.send('PUT /api/webui/aggregator/tconfig', { token: adminToken, body: { lockout } });
  if (set.status !== 200) throw new Error(`the limits of failed logins were not set: ${set.status}`);
  const kinds = Object.entries(wrong).map(([name, body]) => ({ name, body, times: [] as number[] }));
  for (let at = 0; at < attempts; at++) {
    for (const { body, times } of kinds) {
      const started = performance.now();
      const { status } = await api.send('POST /api/auth/v7.0/login', {
        body: { ...body, password: 'a wrong guess' },
      });
      if (status !== 401) throw new Error(`a wrong login was answered with ${status}`);
      times.push(performance.now() - started);
    }
  }
  await api.close();
  const medians = kinds.map(({ name, times }) => [name, rounded(median(times), 2)] as const);
  const values = medians.map(([, ms]) => ms);
  return {
    attempts_each: attempts,
    median_ms: Object.fromEntries(medians),
    difference: rounded(Math.max(...values) / Math.min(...values) - 1, 3),
  };
}
