import type { BaseDeps } from '../../context/context.ts';
import type { AppError, FieldError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import type { Language } from '../../messages/languages.ts';
import { inLanguage, joined, type Text, verbatim } from '../../messages/message.ts';
import { inItsLanguage, type problemResponse, refuseWith } from '../problem.ts';

/** The form of all responses of modules with `answers: 'result'`. `stamp` is in Unix seconds. */
export const inResultForm = <R>(result: R, now: Date) => ({
  result,
  stamp: Math.floor(now.getTime() / 1000),
  version,
});

/** The same form for an error. `error` begins with the problem code and a colon. */
export const refusalInResultForm = (error: AppError, now: Date, language: Language = 'en') => ({
  ...inResultForm(null, now),
  error: `${error.code}: ${inLanguage(wordsOf(error), language)}`,
});

/** Creates the error responses of a module with this form. */
export const resultRefuser =
  ({ clock }: Pick<BaseDeps, 'clock'>): typeof problemResponse =>
  (error, _, headers = {}, language = 'en') =>
    refuseWith(refusalInResultForm(error, clock(), language), 'application/json', error, {
      ...headers,
      ...inItsLanguage(language),
    });

/** An invalid request lists all errors with their positions. */
const wordsOf = ({ detail, members: { errors = [] } }: AppError): Text =>
  errors.length === 0 ? detail : joined(errors.map(placed), '; ');

const placed = ({ pointer, detail }: FieldError): Text =>
  pointer === '' ? detail : joined([verbatim(pointer), detail], ' ');
