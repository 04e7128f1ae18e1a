import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';
import { CertificateView } from './certificate-view.tsx';
import { StepList } from './step-list.tsx';
import { storedTestQuery } from './test-query.ts';

type TestCardProps = {
  id: string;
  title: string;
  /** Starts with the page, as one of several tests that were started together. */
  isStarted?: boolean;
};

/** Tests the connection to a stored node and shows what it presents. */
export function TestCard({ id, title, isStarted = false }: TestCardProps): JSX.Element {
  const [isAsked, setAsked] = useState(isStarted);
  const { data, error, isFetching, refetch } = useQuery({ ...storedTestQuery(id), enabled: isAsked });
  const heading = useId();
  const start = () => {
    if (isAsked) void refetch();
    else setAsked(true);
  };
  return (
    <section class={classes.card} aria-labelledby={heading}>
      <div class={classes.cardHead}>
        <h2 id={heading}>{title}</h2>
        <CopyCommand
          command={() => curlOf({ method: 'POST', path: `/api/webui/aggregator/dispatchers/${id}/test` })}
        />
        <Button look="plain" busy={isFetching} onClick={start}>
          {say(data ? 'setup_test_again' : 'setup_test_connection')}
        </Button>
      </div>
      {!isAsked && <p class={classes.quiet}>{say('setup_test_what')}</p>}
      {isFetching && <Progress label={say('setup_testing')} />}
      {error !== null && !isFetching && <ProblemNotice problem={problemOf(error)} />}
      {data && !isFetching && (
        <div class={classes.step}>
          <Notice tone={data.success ? 'good' : 'bad'} title={data.message} isAlert={true} />
          <StepList steps={data.steps.filter(({ code }) => code !== 'not_reached')} />
          {data.tls && <CertificateView tls={data.tls} />}
        </div>
      )}
    </section>
  );
}
