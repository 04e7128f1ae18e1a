import { describe, expect, it } from 'vitest';
import { bucketBounds, type Count, createTelemetry } from '../../../shared/kernel/observability/telemetry.ts';

const start = ({ isHasty = false, failures = 0 } = {}) => {
  const written: (readonly Count[])[] = [];
  const errors: unknown[] = [];
  let left = failures;
  const telemetry = createTelemetry({
    isHasty,
    onFailure: (error) => void errors.push(error),
    append: async (counts) => {
      if (left-- > 0) throw new Error('the database is away');
      written.push(counts);
    },
  });
  return { telemetry, written, errors };
};

describe('telemetry', () => {
  it('sums values with the same labels, and returns each sum once', async () => {
    const { telemetry, written } = start();
    telemetry.count('jobs', ['probes', 'success']);
    telemetry.count('jobs', ['probes', 'failure']);
    telemetry.count('jobs', ['probes', 'success']);
    await telemetry.flush();
    await telemetry.flush();
    expect(written).toEqual([
      [
        ['jobs', ['probes', 'success'], 2],
        ['jobs', ['probes', 'failure'], 1],
      ],
    ]);
  });

  it('puts times into the bucket of the next bound, including the bound itself', async () => {
    const { telemetry, written } = start();
    for (const seconds of [0.001, 0.005, 0.0051, 11]) telemetry.time('http_duration', ['auth', 'x'], seconds);
    await telemetry.flush();
    const [counts = []] = written;
    expect(counts.filter(([family]) => family === 'http_duration')).toEqual([
      ['http_duration', ['auth', 'x', '0.005'], 2],
      ['http_duration', ['auth', 'x', '0.01'], 1],
      ['http_duration', ['auth', 'x', '+Inf'], 1],
    ]);
    const [sum] = counts.filter(([family]) => family === 'http_duration_sum');
    expect(sum?.[2]).toBeCloseTo(11.0111);
    expect([...bucketBounds].sort((a, b) => a - b)).toEqual([...bucketBounds]);
  });

  it('keeps values that could not be written, together with new ones', async () => {
    const { telemetry, written, errors } = start({ failures: 1 });
    telemetry.count('jobs', ['probes', 'success']);
    const failing = telemetry.flush();
    telemetry.count('jobs', ['probes', 'success']);
    await failing;
    expect([errors.length, written.length]).toEqual([1, 0]);
    await telemetry.flush();
    expect(written).toEqual([[['jobs', ['probes', 'success'], 2]]]);
  });

  it('is due after a thousand observations, and before that only after its interval', async () => {
    const { telemetry } = start();
    for (let n = 0; n < 999; n++) telemetry.count('jobs', ['probes', 'success']);
    expect(telemetry.isDue()).toBe(false);
    telemetry.count('jobs', ['probes', 'success']);
    expect(telemetry.isDue()).toBe(true);
    await telemetry.flush();
    expect(telemetry.isDue()).toBe(false);
  });

  it('is due with the first observation on short-lived runtimes, and never without one', () => {
    const { telemetry } = start({ isHasty: true });
    expect(telemetry.isDue()).toBe(false);
    telemetry.count('jobs', ['probes', 'success']);
    expect(telemetry.isDue()).toBe(true);
  });
});
