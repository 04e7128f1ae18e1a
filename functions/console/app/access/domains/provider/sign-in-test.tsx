import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import type { Operations } from '../../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../../shared/web/problems/use-request.ts';
import { momentText } from '../../../../../../shared/web/text/moments.ts';
import { Button } from '../../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { usePlace } from '../../../router/place.ts';
import { say } from '../../../texts.ts';
import classes from '../../parts/parts.module.css';

type Test = Operations['authenticator.getSignInTest']['answer'];
type Result = NonNullable<Test['result']>;

/** Starts a test sign-in, which leaves the console and returns to the page of the domain. */
export function useTestStart(id: string) {
  const { problem, isBusy, run } = useRequest();
  const start = () =>
    void run(async () => {
      const { url } = await portal.call('authenticator.testSignIn', { path: { uuid: id } });
      location.assign(`${url}&language=${document.documentElement.lang}`);
    });
  return { problem, isBusy, start };
}

/** The test that has returned to this page, with its result. @param test null without one */
export const useSignInTest = (id: string, test: string | null): UseQueryResult<Test> =>
  useQuery({
    queryKey: ['access', 'sign-in-test', test],
    queryFn: () => portal.call('authenticator.getSignInTest', { path: { uuid: id, test_id: test ?? '' } }),
    enabled: test !== null,
  });

/** A sign-in of the administrator at the provider that shows what it sends, and opens no session. */
export function SignInTestCard({ id }: { id: string }): JSX.Element {
  const test = usePlace().query.get('sign_in_test');
  const { problem, isBusy, start } = useTestStart(id);
  return (
    <section class={classes.card} aria-label={say('access_sign_in_test_title')}>
      <h2>{say('access_sign_in_test_title')}</h2>
      <p class={classes.quiet}>{say('access_sign_in_test_text')}</p>
      {test !== null && <Outcome id={id} test={test} />}
      {problem && <ProblemNotice problem={problem} />}
      <div class={`${classes.buttons} ${classes.end}`}>
        <Button look="plain" busy={isBusy} onClick={start}>
          {say('access_sign_in_test_start')}
        </Button>
      </div>
    </section>
  );
}

function Outcome({ id, test }: { id: string; test: string }): JSX.Element | null {
  const { data, error } = useSignInTest(id, test);
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!data?.result) return null;
  return (
    <>
      <Decision result={data.result} />
      <p class={classes.quiet}>{say('access_sign_in_test_until', { time: momentText(data.expires_at) })}</p>
    </>
  );
}

const Decision = ({ result }: { result: Result }): JSX.Element => (
  <>
    <Notice tone={result.admitted ? 'good' : 'bad'} title={result.detail} isAlert={true}>
      {result.remedy !== null && <p>{result.remedy}</p>}
    </Notice>
    <Pairs title={say('access_sign_in_test_facts')} pairs={Object.entries(result.facts)} />
    {result.person && <Pairs title={say('access_sign_in_test_person')} pairs={pairsOf(result.person)} />}
    {result.claims && (
      <Pairs title={say('access_sign_in_test_claims')} pairs={Object.entries(result.claims)} />
    )}
  </>
);

const pairsOf = (person: NonNullable<Result['person']>): [string, string][] => [
  [say('access_sign_in_test_name'), person.login_name],
  [say('access_sign_in_test_subject'), person.subject],
  [say('access_sign_in_test_issuer'), person.issuer],
  [
    say('access_sign_in_test_groups'),
    say('access_sign_in_test_of', {
      known: person.groups.join(', ') || '–',
      sent: String(person.groups_sent),
    }),
  ],
  [
    say('access_sign_in_test_factor'),
    say(person.second_factor ? 'access_sign_in_test_yes' : 'access_sign_in_test_no'),
  ],
  [
    say('access_sign_in_test_known'),
    say(person.is_known ? 'access_sign_in_test_yes' : 'access_sign_in_test_no'),
  ],
];

const Pairs = ({
  title,
  pairs,
}: {
  title: string;
  pairs: readonly [string, string][];
}): JSX.Element | null =>
  pairs.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <dl class={classes.facts}>
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
