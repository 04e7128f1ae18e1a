import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Problem, problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Progress, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import { CertificateView } from '../connection/certificate-view.tsx';
import { hintOf, StepList } from '../connection/step-list.tsx';
import { type PresentedTls, type TestResult, testQuery } from '../connection/test-query.ts';
import { settingsOf } from '../settings.ts';
import classes from '../setup.module.css';
import { faultsOf, type Setup } from '../use-setup.ts';
import { StepForm } from './step-form.tsx';
import { canBeTrusted, TrustChoice } from './trust-choice.tsx';

/** What the portal finds at the address: the certificate of the node, which the administrator may have to trust. */
export function CertificateStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, go } = setup;
  const test = useQuery(testQuery(settingsOf(draft)));
  const { data, error, isFetching, refetch } = test;
  const problem = useRefusedAuthority(setup, error);
  const isReady = data !== undefined && !isFetching && isAccepted(data);
  return (
    <StepForm
      // The focus moves to the button as soon as the step can be left.
      key={String(isReady)}
      step="certificate"
      title={say('setup_certificate_title')}
      hint={say('setup_certificate_hint', { url: draft.url })}
      isBlocked={!isReady}
      actions={
        <Button look="plain" busy={isFetching} onClick={() => void refetch()}>
          {say('setup_look_again')}
        </Button>
      }
      onNext={() => go('key')}
    >
      {problem && <ProblemNotice problem={problem} />}
      {isFetching ? <Looking url={draft.url} /> : data && <Found setup={setup} test={test} result={data} />}
    </StepForm>
  );
}

/**
 * What was entered as an authority may not be a certificate. The choice is then shown again, with the fault.
 * @returns any other problem
 */
function useRefusedAuthority(setup: Setup, error: Error | null): Problem | undefined {
  const problem = error === null ? undefined : problemOf(error);
  const { ca } = faultsOf(problem?.faults, '/dispatcher');
  useEffect(() => {
    if (ca === undefined) return;
    setup.set({ ca: null });
    setup.refuse({ ca });
  }, [error]);
  return ca === undefined ? problem : undefined;
}

/** The platform may have no access to certificates; the test then shows whether the portal can connect. */
const isAccepted = ({ tls, steps }: TestResult): boolean =>
  tls ? tls.faults.length === 0 : steps.some(({ code }) => code === 'not_available');

const Looking = ({ url }: { url: string }): JSX.Element => (
  <>
    <Progress label={say('setup_looking', { url })} />
    <Skeleton height="12rem" />
  </>
);

type FoundProps = { setup: Setup; test: UseQueryResult<TestResult>; result: TestResult };

function Found({ setup, result }: FoundProps): JSX.Element {
  const { tls, steps } = result;
  if (!tls && isAccepted(result)) return <Notice tone="info" title={say('setup_no_access')} />;
  if (!tls)
    return (
      <section class={classes.card}>
        <StepList steps={steps.slice(0, 3)} />
      </section>
    );
  return (
    <>
      <Verdict tls={tls} isOwn={setup.draft.ca !== null} />
      {tls.faults.includes('wrong_name') && <OtherNames setup={setup} tls={tls} />}
      <section class={classes.card}>
        <CertificateView tls={tls} />
      </section>
      {canBeTrusted(tls) && <TrustChoice setup={setup} tls={tls} />}
      {setup.draft.ca !== null && tls.faults.length === 0 && (
        <div>
          <Button look="quiet" onClick={() => setup.set({ ca: null })}>
            {say('setup_distrust')}
          </Button>
        </div>
      )}
    </>
  );
}

function Verdict({ tls, isOwn }: { tls: PresentedTls; isOwn: boolean }): JSX.Element {
  const [fault] = tls.faults.toSorted((a, b) => Number(isOfIssuer(a)) - Number(isOfIssuer(b)));
  if (fault === undefined)
    return <Notice tone="good" title={say(isOwn ? 'setup_trusted_own' : 'setup_trusted')} />;
  return (
    <Notice
      tone={canBeTrusted(tls) ? 'warn' : 'bad'}
      title={say(isOwn && isOfIssuer(fault) ? 'setup_not_issued' : `setup_fault_${fault}`)}
      isAlert={true}
    >
      {hintOf({ name: 'certificate', code: fault })}
    </Notice>
  );
}

const isOfIssuer = (fault: string): boolean => fault === 'self_signed' || fault === 'unknown_ca';

/** Names of the certificate that can be used as the address. */
function OtherNames({
  setup: { draft, set, go },
  tls,
}: {
  setup: Setup;
  tls: PresentedTls;
}): JSX.Element | null {
  const names = (tls.chain[0]?.names ?? []).filter((name) => !name.includes('*')).slice(0, 3);
  if (names.length === 0) return null;
  const use = (name: string) => {
    const url = new URL(draft.url);
    url.hostname = name.includes(':') ? `[${name}]` : name;
    set({ url: url.href.replace(/\/$/, ''), ca: null });
    go('node');
  };
  return (
    <div class={classes.names}>
      {names.map((name) => (
        <Button key={name} look="plain" onClick={() => use(name)}>
          {say('setup_use_name', { name })}
        </Button>
      ))}
    </div>
  );
}
