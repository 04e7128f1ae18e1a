import type { Text } from '../../messages/message.ts';

/** The steps of a connection test, in their order. */
export const stepNames = [
  'lookup',
  'address',
  'connection',
  'certificate',
  'answer',
  'authorization',
  'trusted_address',
  'administrator',
  'tickets',
  'health',
  'lists',
] as const;

export type StepName = (typeof stepNames)[number];

/**
 * One step of a connection test.
 * @property code a stable word of the portal for the cause; null for a step that passes. It is never text of the node.
 */
export type Step = {
  name: StepName;
  status: 'pass' | 'fail' | 'skipped';
  code: string | null;
  detail: Text;
  took_ms: number;
};

export type Protocol = ReturnType<typeof createProtocol>;

/** Records the steps with their durations. */
export function createProtocol() {
  const steps = new Map<StepName, Step>();
  let since = performance.now();
  const add = (name: StepName, step: Omit<Step, 'name' | 'took_ms'>, tookMs?: number) => {
    const took = tookMs ?? performance.now() - since;
    steps.set(name, { name, ...step, took_ms: Math.round(took) });
    since += took;
  };
  return {
    pass: (name: StepName, detail: Text, tookMs?: number) =>
      add(name, { status: 'pass', code: null, detail }, tookMs),
    fail: (name: StepName, code: string, detail: Text, tookMs?: number) =>
      add(name, { status: 'fail', code, detail }, tookMs),
    skip: (name: StepName, code: string, detail: Text) => add(name, { status: 'skipped', code, detail }, 0),
    /** All steps. Those that were not reached are skipped. */
    steps: (): Step[] =>
      stepNames.map(
        (name): Step =>
          steps.get(name) ?? {
            name,
            status: 'skipped',
            code: 'not_reached',
            detail: 'An earlier step failed',
            took_ms: 0,
          },
      ),
  };
}
