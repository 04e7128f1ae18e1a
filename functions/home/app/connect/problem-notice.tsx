import type { JSX } from 'preact';
import { hasText } from '../../../../shared/web/text/texts.ts';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { type HomeText, say } from '../texts.ts';
import type { Problem } from './problem.ts';

const isText = (key: string): key is HomeText => hasText(key);

/** The sentence for a reason of a dispatcher or of the portal, or a general one. */
export function refusalText(reason: string): string {
  const key = `reason_${reason}`;
  return say(isText(key) ? key : 'reason_other');
}

/** Why a request failed, and what the user can do. Problems without a sentence here show that of the API. */
export function ProblemNotice({ problem: { code, detail, instance } }: { problem: Problem }): JSX.Element {
  const [title, next] = [`problem_${code}`, `next_${code}`];
  return (
    <Notice tone="bad" title={isText(title) ? say(title) : (detail ?? say('problem_internal'))}>
      {say(isText(next) ? next : 'next_other')}
      {instance !== undefined && `\n${say('request', { id: instance })}`}
    </Notice>
  );
}
