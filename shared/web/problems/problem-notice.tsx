import type { JSX } from 'preact';
import { frameText } from '../text/texts.ts';
import { clockOf, useSecondsUntil } from '../text/use-seconds-until.ts';
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
  const seconds = useSecondsUntil(problem.retryAt);
  if (problem.retryAt === undefined)
    return (
      <Notice tone="bad" title={title} isAlert={true}>
        {lines.length > 0 ? lines.join('\n') : undefined}
      </Notice>
    );
  if (seconds === 0) return <Notice key="over" tone="info" title={frameText('retry_now')} isAlert={true} />;
  return (
    <Notice key="waiting" tone="bad" title={title} isAlert={true}>
      {/* It is read out once, and not every second. */}
      <span role="timer" aria-live="off">
        {frameText('retry_in', { time: clockOf(seconds) })}
      </span>
    </Notice>
  );
}
