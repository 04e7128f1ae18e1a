import type { AppError } from '../../../../kernel/errors.ts';
import type { Text } from '../../../../messages/message.ts';
import type { Check, TestCtx } from '../../domain-type.ts';

export type Protocol = ReturnType<typeof createProtocol>;

/** Records the steps in order. A failure belongs to the current step. */
export function createProtocol({ deps }: TestCtx) {
  const checks: Check[] = [];
  let since = deps.clock().getTime();
  let step = 'connection';
  const note = (name: string, status: Check['status'], detail: Text): void => {
    const now = deps.clock().getTime();
    checks.push({ name, status, detail, took_ms: now - since });
    since = now;
  };
  return {
    checks,
    note,
    /** The steps start again on another server. */
    restart: (): void => {
      checks.length = 0;
      step = 'connection';
    },
    at: (name: string): void => {
      step = name;
    },
    fail: (detail: Text, { members }: AppError): void => {
      const isAccount = step === 'connection' && members.reason === 'account';
      if (isAccount) note('connection', 'pass', 'A server responds');
      note(isAccount ? 'bind' : step, 'fail', detail);
    },
  };
}
