import { systemParameters } from '../../../db/schema/settings/system-parameters.ts';
import type { TestPortal } from '../../support/portal.ts';

/** Takes the rate limits off, for tests that ask more than people do. */
export async function liftLimits({ db }: TestPortal): Promise<void> {
  const names = ['limits.per_token_per_minute', 'limits.anonymous_per_ip_per_minute'];
  await db.insert(systemParameters).values(names.map((name) => ({ name, value: 0, updated_at: new Date() })));
}
