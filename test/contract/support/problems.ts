import { expect } from 'vitest';
import { Problem, ResultRefusal, ScimRefusal } from '../../../shared/http/document/problems.ts';
import { scimStatusOf } from '../../../shared/http/serve/scim-form.ts';
import { type ErrorCode, problemProperties } from '../../../shared/kernel/errors.ts';
import type { Answer } from '../../support/portal.ts';
import {
  answersInResultForm,
  documentedCodes,
  isScim,
  type Registered,
  refusalType,
} from '../generated/described.ts';

/**
 * Asserts that an answer is the complete problem document of this code, as documented for the operation, or the
 * refusal in the result format of its module or in the form of SCIM.
 */
export function expectProblem(answer: Answer, code: ErrorCode, operation?: Registered): void {
  expectRefusal(answer, code, operation);
  if (operation) expect(documentedCodes(operation, answer.status)).toContain(code);
}

type Form = Pick<Registered, 'module' | 'protocol'>;

/** The same for codes that are not documented for an operation. */
export function expectRefusal(answer: Answer, code: ErrorCode, operation?: Form): void {
  const ofScim = operation !== undefined && isScim(operation);
  if (ofScim) expectScimForm(answer, code);
  else if (operation && answersInResultForm(operation)) expectResultForm(answer, code);
  else expectProblemDocument(answer, code);
  const { status, retryAfterS } = problemProperties(code);
  expect(answer.status).toBe(ofScim ? scimStatusOf(code) : status);
  expect(answer.headers.get('content-type')).toBe(
    `${operation ? refusalType(operation) : 'application/problem+json'}; charset=utf-8`,
  );
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  const challenge = ofScim ? 'Bearer realm="scim"' : 'Token realm="aggregator"';
  expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? challenge : null);
  if (retryAfterS) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
}

/** The code of a refusal in either form. */
export const codeIn = ({ body }: Answer): string => body.code ?? String(body.error).split(':')[0];

/** The locations of the errors in a refusal, in either format. */
export const pointersIn = ({ body }: Answer): string[] =>
  body.errors?.map(({ pointer }: { pointer: string }) => pointer) ??
  String(body.error)
    .replace(/^\w+: /, '')
    .split('; ')
    .map((fault) => /^[/?]\S*/.exec(fault)?.[0] ?? '');

function expectProblemDocument({ body, headers }: Answer, code: ErrorCode): void {
  expect(body).toMatchObject({ code });
  const { status, title, retryable = false } = problemProperties(code);
  expect(Problem.safeParse(body).error?.issues ?? []).toEqual([]);
  expect(body).toMatchObject({ type: `/api/errors/${code}`, title, status, retryable });
  expect(body.detail).not.toBe('');
  expect(body.instance).toBe(headers.get('x-request-id'));
}

/** The form has no code; its status is a text. */
function expectScimForm({ body }: Answer, code: ErrorCode): void {
  expect(ScimRefusal.safeParse(body).error?.issues ?? []).toEqual([]);
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(scimStatusOf(code)),
  });
  expect(body.detail).not.toBe('');
}

function expectResultForm(answer: Answer, code: ErrorCode): void {
  expect(ResultRefusal.safeParse(answer.body).error?.issues ?? []).toEqual([]);
  expect(Object.keys(answer.body).sort()).toEqual(['error', 'result', 'stamp', 'version']);
  expect(codeIn(answer)).toBe(code);
  expect(Math.abs(answer.body.stamp * 1000 - Date.now())).toBeLessThan(60_000);
}
