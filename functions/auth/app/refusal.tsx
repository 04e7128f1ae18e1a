import type { JSX } from 'preact';
import { nextStepOf } from '../../../shared/web/problems/next-steps.ts';
import type { Problem } from '../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../shared/web/problems/problem-notice.tsx';
import { hasText } from '../../../shared/web/text/texts.ts';
import { facts } from './facts.ts';

/** The element that describes a field whose value was refused with the whole form. */
const refusalId = 'problem';

type Subject = 'signin' | 'factor' | 'passkey';

/** Why a sign-in was refused, with the texts of this page if it has some. */
export function Refusal({ problem, about }: { problem: Problem; about: Subject }): JSX.Element {
  const { code, detail, instance } = problem;
  const subject = subjectOf(code, about);
  const shown = {
    ...problem,
    detail: hasText(`${subject}_${code}`) ? undefined : detail,
    // A wrong entry does not concern the administrator.
    instance: nextStepOf(code) === 'correct' ? undefined : instance,
  };
  return (
    <div {...(about !== 'passkey' && { id: refusalId })}>
      <ProblemNotice problem={shown} about={subject} />
    </div>
  );
}

/** A user who cannot choose a domain is not asked to check it. */
function subjectOf(code: string, about: Subject): Subject | 'single' {
  if (about === 'passkey') return about;
  if (code !== 'invalid_credentials') return 'signin';
  return about === 'signin' && facts.domains.length < 2 ? 'single' : about;
}

/** Attributes of the field that a wrong entry concerns. */
export const refusedBy = (problem: Problem | undefined) =>
  problem?.code === 'invalid_credentials' ? { 'aria-invalid': true, 'aria-describedby': refusalId } : {};
