import { z } from 'zod';
import { type ErrorCode, problemProperties } from '../../../shared/kernel/errors.ts';
import type { Language } from '../../../shared/messages/languages.ts';
import { inLanguage } from '../../../shared/messages/message.ts';
import { catalogue } from './catalogue.ts';

export const ErrorEntry = z.strictObject({
  code: z.string().describe('Stable code of the problem.'),
  status: z.int().describe('HTTP status of the problem.'),
  title: z.string().describe('Short description of the problem.'),
  retryable: z.boolean().describe('True if the same request may succeed later.'),
  meaning: z.string().describe('Meaning of the code.'),
  cause: z.string().describe('Usual causes of the problem.'),
  remedy: z.string().describe('Remedies for the caller or the administrator.'),
});
export type ErrorEntry = z.output<typeof ErrorEntry>;

/** The explanation of a code in a language. */
export function entryOf(code: ErrorCode, language: Language): ErrorEntry {
  const { status, title, retryable = false } = problemProperties(code);
  return { code, status, title: inLanguage(title, language), retryable, ...catalogue[language][code] };
}
