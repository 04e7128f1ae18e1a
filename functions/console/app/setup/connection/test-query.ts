import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { connectionFailed } from '../../../../../shared/client/refusals.ts';
import { portal } from '../../../../../shared/web/client/session.ts';

export type TestSettings = Operations['dispatcher.testSettings']['asks']['body'];
export type TestResult = Operations['dispatcher.testSettings']['answer'];
export type TestedStep = TestResult['steps'][number];
export type PresentedTls = NonNullable<TestResult['tls']>;
export type Presented = PresentedTls['chain'][number];

/** Milliseconds after which a test has failed for the page. The portal limits each step. */
const limitMs = 40_000;

async function within<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    return await call(AbortSignal.any([signal, limit]));
  } catch (error) {
    throw limit.aborted ? connectionFailed(error) : error;
  }
}

/** The test of a node that is not stored. It is repeated on request only. */
export const testQuery = (settings: TestSettings) => ({
  queryKey: ['connection', JSON.stringify(settings)],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<TestResult> =>
    within(signal, (limited) =>
      portal.call('dispatcher.testSettings', { body: settings }, { signal: limited }),
    ),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** The test of a stored node. */
export const storedTestQuery = (id: string) => ({
  queryKey: ['connection', `stored ${id}`],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<TestResult> =>
    within(signal, (limited) => portal.call('dispatcher.test', { path: { id } }, { signal: limited })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});
