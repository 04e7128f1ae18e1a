import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../../shared/web/problems/problem-notice.tsx';
import { preciseClockText } from '../../../../../../shared/web/text/moments.ts';
import { countText } from '../../../../../../shared/web/text/numbers.ts';
import { Button, LinkButton } from '../../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { CopyCommand } from '../../../records/record/copy-command.tsx';
import { curlOf } from '../../../records/requests.ts';
import { addressOf } from '../../../router/place.ts';
import { say } from '../../../texts.ts';
import classes from '../audit.module.css';
import { useVerification, type Verification } from './use-verification.ts';

/** Verifies that the audit log is as it was written. */
export function ChainPage(): JSX.Element {
  const { current, start, resume, stop } = useVerification();
  const { state, checked } = current;
  const canResume = (state === 'stopped' || state === 'failed') && checked > 0;
  return (
    <div class={classes.page}>
      <p class={classes.quiet}>
        <a href={addressOf(['audit'])}>{say('audit_events')}</a>
      </p>
      <h1>{say('audit_chain')}</h1>
      <p>{say('audit_chain_text')}</p>
      <div class={classes.buttons}>
        {state === 'running' ? (
          <Button look="plain" onClick={stop}>
            {say('audit_chain_stop')}
          </Button>
        ) : (
          <Button onClick={start}>{say(state === 'idle' ? 'audit_chain_start' : 'audit_chain_again')}</Button>
        )}
        {canResume && (
          <Button look="plain" onClick={resume}>
            {say('audit_chain_continue')}
          </Button>
        )}
        <CopyCommand
          command={() =>
            curlOf({ method: 'GET', path: '/api/webui/aggregator/audit/verify', query: { from: '1' } })
          }
        />
      </div>
      {state !== 'idle' && <Reached current={current} />}
      <div aria-live="polite">
        <Outcome current={current} />
      </div>
    </div>
  );
}

function Reached({ current: { state, checked, sealedTo } }: { current: Verification }): JSX.Element {
  const isKnown = sealedTo > 0;
  return (
    <>
      {(state === 'running' || state === 'stopped') && (
        <Progress
          label={say('audit_chain_progress')}
          percent={isKnown ? (100 * checked) / sealedTo : undefined}
        />
      )}
      {isKnown && state !== 'good' && (
        <p class={classes.quiet}>
          {say('audit_chain_checked', { checked: countText(checked), all: countText(sealedTo) })}
        </p>
      )}
    </>
  );
}

function Outcome({ current }: { current: Verification }): JSX.Element | null {
  const { state, sealedTo, firstBad, problem, endedAt } = current;
  if (state === 'good' && sealedTo === 0)
    return (
      <Notice tone="info" title={say('audit_chain_empty')}>
        {say('audit_chain_empty_text')}
      </Notice>
    );
  if (state === 'good')
    return (
      <Notice tone="good" title={say('audit_chain_good', { count: sealedTo })}>
        {say('audit_chain_good_text', { time: preciseClockText(endedAt ?? new Date()) })}
      </Notice>
    );
  if (state === 'broken')
    return (
      <Notice
        tone="bad"
        title={say('audit_chain_broken', { position: countText(firstBad ?? 0) })}
        isAlert={true}
        actions={
          <LinkButton look="plain" href={addressOf(['audit'], { seq: String(firstBad ?? 0) })}>
            {say('audit_chain_show_event')}
          </LinkButton>
        }
      >
        {say('audit_chain_broken_text')}
      </Notice>
    );
  return problem ? <ProblemNotice problem={problem} /> : null;
}
