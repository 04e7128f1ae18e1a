import type { AppError } from '../kernel/errors.ts';
import { version } from '../kernel/version.ts';
import type { BaseDeps } from './context.ts';
import { type problemResponse, refuseWith } from './problem.ts';

/** The form of all answers of modules with `answers: 'result'`; `stamp` is in Unix seconds. */
export const inResultForm = <R>(result: R, now: Date) => ({
  result,
  stamp: Math.floor(now.getTime() / 1000),
  version,
});

/** The same for a refusal; `error` begins with the problem code and a colon. */
export const refusalInResultForm = (error: AppError, now: Date) => ({
  ...inResultForm(null, now),
  error: `${error.code}: ${wordsOf(error)}`,
});

/** What a module refuses with that answers in this form. */
export const resultRefuser =
  ({ clock }: Pick<BaseDeps, 'clock'>): typeof problemResponse =>
  (error, _, headers = {}) =>
    refuseWith(refusalInResultForm(error, clock()), 'application/json', error, headers);

/** Of a request that is wrong all faults are told, each with its place. */
const wordsOf = ({ message, members: { errors = [] } }: AppError): string =>
  errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trim()).join('; ') || message;
