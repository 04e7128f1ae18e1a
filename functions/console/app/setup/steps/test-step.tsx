import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import { StepList } from '../connection/step-list.tsx';
import { type TestResult, testQuery } from '../connection/test-query.ts';
import { settingsOf } from '../settings.ts';
import classes from '../setup.module.css';
import type { Setup } from '../use-setup.ts';
import { StepForm } from './step-form.tsx';

/** The whole way to the lists of the node, step by step. A node that is not ready yet can be saved all the same. */
export function TestStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, secret, go } = setup;
  const { data, error, isFetching, refetch } = useQuery(testQuery(settingsOf(draft, secret)));
  const hasPassed = data?.success === true && !isFetching;
  return (
    <StepForm
      key={String(hasPassed)}
      step="test"
      title={say('setup_test_title')}
      hint={say('setup_test_hint')}
      isBlocked={!hasPassed}
      actions={
        <>
          <Button look="plain" busy={isFetching} onClick={() => void refetch()}>
            {say('setup_test_again')}
          </Button>
          {data && !data.success && !isFetching && (
            <Button look="plain" onClick={() => go('save')}>
              {say('setup_go_on')}
            </Button>
          )}
        </>
      }
      onNext={() => go('save')}
    >
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {isFetching && (
        <>
          <Progress label={say('setup_testing')} />
          <Skeleton height="16rem" />
        </>
      )}
      {data && !isFetching && <Result result={data} />}
    </StepForm>
  );
}

const mostDomains = 8;

const Result = ({ result: { success, message, steps, version, domains, pools } }: { result: TestResult }) => (
  <>
    <Notice tone={success ? 'good' : 'bad'} title={message} isAlert={true}>
      {success && domains !== null && pools !== null
        ? [
            say('setup_found', { pools }),
            domains.length > 0 &&
              say('setup_found_domains', { domains: domains.slice(0, mostDomains).join(', ') }),
            version !== null && say('setup_found_version', { version }),
          ]
            .filter(Boolean)
            .join(' ')
        : undefined}
    </Notice>
    <section class={classes.card}>
      <StepList steps={steps} />
    </section>
  </>
);
