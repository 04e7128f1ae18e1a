import { describe } from 'vitest';

type Suite = (title: string, body: () => void) => void;

/**
 * A `describe` for tests that need a program or server of the machine:
 * `requireService('slapd', present)('binds against slapd', () => { … })`.
 * If it is absent, the suite and its hooks are skipped, and the title contains the reason.
 * @throws Error when it is absent and REQUIRE_SERVICES=1
 */
export function requireService(name: string, present: boolean): Suite {
  if (present) return (title, body) => describe(title, body);
  assertMayBeAbsent(name);
  return (title, body) => describe.skip(`${title} [${name} is not on this machine]`, body);
}

/** @throws Error when REQUIRE_SERVICES=1: there an absent server is a failure, elsewhere a reason to skip */
export function assertMayBeAbsent(name: string): void {
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(`REQUIRE_SERVICES=1, but ${name} is absent`);
}

/** The same for dependencies that CI may lack: skipped there too, with the reason. */
export function whereThereIs(what: string, present: boolean): Suite {
  if (present) return (title, body) => describe(title, body);
  return (title, body) => describe.skip(`${title} [there is no ${what}]`, body);
}
