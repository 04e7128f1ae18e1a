import { expect } from 'vitest';
import { Problem } from '../../shared/http/document-problems.ts';
import { codeFacts, type ErrorCode } from '../../shared/kernel/errors.ts';
import type { Answer } from '../support/portal.ts';
import { documentedCodes, type Registered } from './described.ts';

/** Asserts that an answer is the problem document of this code, complete and as the document of the operation has it. */
export function expectProblem(answer: Answer, code: ErrorCode, operation?: Registered): void {
  expect(answer.body).toMatchObject({ code });
  const { status, title, retryable = false, retryAfterS } = codeFacts(code);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(Problem.safeParse(answer.body).error?.issues ?? []).toEqual([]);
  expect(answer.body).toMatchObject({ type: `/api/errors/${code}`, title, status, retryable });
  expect(answer.body.detail).not.toBe('');
  expect(answer.body.instance).toBe(answer.headers.get('x-request-id'));
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Token realm="aggregator"' : null);
  if (retryAfterS) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  if (operation) expect(documentedCodes(operation, status)).toContain(code);
}
