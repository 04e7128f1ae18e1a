import type { JSX } from 'preact';
import { Notice } from '../ui/feedback/feedback.tsx';
import type { Problem } from './problem.ts';
import { textsOf } from './problem-texts.ts';

type ProblemNoticeProps = {
  problem: Problem;
  /** What the request is about, if the page has own texts for it; see `textsOf`. */
  about?: string;
};

/** Why a request failed, what the user can do, and the request for the administrator. */
export function ProblemNotice({ problem, about }: ProblemNoticeProps): JSX.Element {
  const { title, lines } = textsOf(problem, about);
  return (
    <Notice tone="bad" title={title} isAlert={true}>
      {lines.join('\n')}
    </Notice>
  );
}
