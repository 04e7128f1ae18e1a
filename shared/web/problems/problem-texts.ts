import { hasText, type Say, sayText } from '../text/texts.ts';
import { nextStepOf } from './next-steps.ts';
import type { Problem } from './problem.ts';

/** Texts of problems, in the catalogue of every page. */
export type ProblemText = keyof typeof import('../../messages/pages/problems.en.json');

const problemText: Say<ProblemText> = sayText;

/**
 * The sentences about a problem. A code that this page does not know has the detail of the portal as its title.
 * @param about a word for what the request is about, such as `workplace`. The texts `<about>_<code>` and
 *   `<about>_next_<code>` of the page have precedence over the general ones
 */
export function textsOf(
  { code, detail, reason, instance }: Problem,
  about = 'problem',
): { title: string; lines: string[] } {
  const title = firstText(`reason_${reason}`, `${about}_${code}`, `problem_${code}`);
  const next = firstText(`${about}_next_${code}`, `next_${nextStepOf(code)}`);
  const lines = [
    title !== undefined && detail,
    next,
    instance !== undefined && problemText('request', { id: instance }),
  ];
  return {
    title: title ?? detail ?? problemText('problem_internal'),
    lines: lines.filter((line) => typeof line === 'string'),
  };
}

/** The sentence for a reason of a dispatcher or of the portal, or a general one. */
export const refusalText = (reason: string): string =>
  firstText(`reason_${reason}`) ?? problemText('reason_other');

function firstText(...keys: string[]): string | undefined {
  const key = keys.find(hasText);
  return key === undefined ? undefined : sayText(key);
}
