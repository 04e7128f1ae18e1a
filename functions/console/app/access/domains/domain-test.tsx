import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sendRequest } from '../../../../../shared/web/client/request.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import type { DomainTypeName, Setting } from './domain-fields.ts';
import type { Course, TestResult } from './test-course.ts';
import { Steps } from './test-steps.tsx';

/** Milliseconds for a test: each server of a directory can use up its own time limit. */
const limitMs = 120_000;

type Body = Readonly<Record<string, unknown>>;
type DomainTestProps = { type: DomainTypeName; body: Body; settings: readonly Setting[] };

/** Tests the settings and then the directory, optionally with the sign-in of one user. Nothing is saved. */
export function DomainTest({ type, body, settings }: DomainTestProps): JSX.Element {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const test = useTest(type);
  const sent = () => ({ ...testBody(body, settings), ...subjectOf(username, password) });
  const start = () => void test.start(sent());
  const end = useScrollToEnd(test.course?.isRunning === false);
  return (
    <section class={classes.card} aria-label={say('access_test_title')}>
      <h2>{say('access_test_title')}</h2>
      <p class={classes.quiet}>{say('access_test_text')}</p>
      <Subject {...{ username, setUsername, password, setPassword }} onEnter={start} />
      {test.course && <Steps course={test.course} hasUser={username !== ''} hasPassword={password !== ''} />}
      {test.problem && <ProblemNotice problem={test.problem} />}
      <div class={`${classes.buttons} ${classes.end}`} ref={end}>
        <CopyCommand command={() => curlOf(requestOf(type, 'test', hidden(sent())))} />
        <Button look="plain" busy={test.isBusy} onClick={start}>
          {say('access_test_start')}
        </Button>
      </div>
    </section>
  );
}

/** The steps of a test grow below the visible part of the page, or below the buttons of the form. */
function useScrollToEnd(hasEnded: boolean) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (hasEnded) end.current?.scrollIntoView({ block: 'nearest' });
  }, [hasEnded]);
  return end;
}

type SubjectProps = {
  username: string;
  setUsername: (text: string) => void;
  password: string;
  setPassword: (text: string) => void;
  onEnter: () => void;
};

/** The user whose sign-in is tested. */
const Subject = (props: SubjectProps): JSX.Element => (
  <div class={classes.fields}>
    <Field
      label={say('access_test_user')}
      hint={say('access_test_user_hint')}
      value={props.username}
      maxLength={256}
      autocomplete="off"
      onInput={({ currentTarget }) => props.setUsername(currentTarget.value)}
      onKeyDown={(event) => onEnter(event, props.onEnter)}
    />
    <Field
      label={say('access_test_password')}
      type="password"
      value={props.password}
      maxLength={1024}
      autocomplete="new-password"
      onInput={({ currentTarget }) => props.setPassword(currentTarget.value)}
      onKeyDown={(event) => onEnter(event, props.onEnter)}
    />
  </div>
);

/** The fields are within the form of the domain, which the Enter key would save. */
function onEnter(event: KeyboardEvent, start: () => void): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  start();
}

const subjectOf = (username: string, password: string): Body => ({
  ...(username !== '' && { username }),
  ...(username !== '' && password !== '' && { password }),
});

const requestOf = (type: string, test: 'test' | 'test_params', body: Body) => ({
  method: 'POST',
  path: `/api/webui/aggregator/authenticators/${test}/${type}`,
  body,
});

function useTest(type: DomainTypeName) {
  const { problem, isBusy, run } = useRequest();
  const [course, setCourse] = useState<Course>();
  const send = async (test: 'test' | 'test_params', body: Body): Promise<TestResult> => {
    const request = { ...requestOf(type, test, body), signal: AbortSignal.timeout(limitMs) };
    // The operation answers with this type.
    return (await sendRequest(request)).body as TestResult;
  };
  const start = (body: Body) =>
    run(async () => {
      setCourse({ isRunning: true });
      const { username: _, password: __, ...settings } = body;
      try {
        const checked = await send('test_params', settings);
        setCourse({ checked, isRunning: checked.success });
        if (!checked.success) return;
        const result = await send('test', body);
        setCourse({ checked, result, isRunning: false });
      } catch (error) {
        setCourse((last) => last && { ...last, isRunning: false });
        throw error;
      }
    });
  return { course, problem, isBusy, start };
}

/** Members without a value are left out: the portal then uses the default, or the stored secret. */
function testBody(body: Body, settings: readonly Setting[]): Body {
  const { params, ...own } = body;
  const given = Object.entries(own).filter(([, value]) => value !== undefined && value !== '');
  const names = new Set(settings.map(({ path: [name] }) => name));
  const members = Object.entries((params ?? {}) as Body).filter(
    ([name, value]) => names.has(name) && value !== null && value !== undefined,
  );
  return { ...Object.fromEntries(given), params: Object.fromEntries(members) };
}

/** A command is kept in histories, so it has no passwords. */
const hidden = ({ password: _, params, ...rest }: Body): Body => ({
  ...rest,
  params: Object.fromEntries(
    Object.entries((params ?? {}) as Body).filter(([name]) => !/_(?:password|secret)$/.test(name)),
  ),
});
