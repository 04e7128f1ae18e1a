import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { PortalError } from '../../client/refusals.ts';
import { ProblemNotice } from '../problems/problem-notice.tsx';
import { useRequest } from '../problems/use-request.ts';
import { type FrameText, frameText } from '../text/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import classes from './credentials.module.css';
import { PasswordField } from './password-field.tsx';
import { useFaults } from './use-faults.ts';
import { UserName } from './user-name.tsx';

const names = ['current', 'new', 'again'] as const;
type Name = (typeof names)[number];
type Values = Record<Name, string>;
type Faults = Partial<Values>;

const labels: Record<Name, FrameText> = {
  current: 'password_current',
  new: 'password_new',
  again: 'password_again',
};

type PasswordChangeProps = {
  login: string;
  /** @throws PortalError why the change was refused */
  change: (passwords: { current: string; new: string }) => Promise<void>;
  onChanged: () => void;
  /** The page is being left. */
  busy?: boolean;
  /** Shown above the button. */
  children?: ComponentChildren;
};

/** Changes the password of the user. A refusal is shown at the field that it concerns. */
export function PasswordChange(props: PasswordChangeProps): JSX.Element {
  const { login, change, onChanged, busy = false, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useFaults<Faults>(form, {});
  const { problem, isBusy, run, forget } = useRequest();
  const submit = (event: Event) => {
    event.preventDefault();
    if (isBusy || busy || !form.current) return;
    const values = valuesIn(form.current);
    const wrong = faultsOf(values);
    setFaults(wrong);
    forget();
    if (Object.keys(wrong).length > 0) return;
    void run(async () => {
      const refused = await refusalOf(change({ current: values.current, new: values.new }));
      if (refused) return setFaults(refused);
      form.current?.reset();
      onChanged();
    });
  };
  return (
    <form id="change" ref={form} class={classes.change} method="post" noValidate={true} onSubmit={submit}>
      <UserName login={login} />
      {names.map((name) => (
        <PasswordField
          key={name}
          {...{ id: name, name, label: frameText(labels[name]), fault: faults[name] }}
          autocomplete={name === 'current' ? 'current-password' : 'new-password'}
          maxLength={name === 'current' ? 1024 : 256}
        />
      ))}
      {problem && <ProblemNotice problem={problem} />}
      {children}
      <Button type="submit" busy={isBusy || busy}>
        {frameText('password_change')}
      </Button>
    </form>
  );
}

function valuesIn(form: HTMLFormElement): Values {
  const data = new FormData(form);
  const entryOf = (name: Name): string => String(data.get(name) ?? '');
  return { current: entryOf('current'), new: entryOf('new'), again: entryOf('again') };
}

/** What can be refused without a request. */
function faultsOf(values: Values): Faults {
  const empty = names.slice(0, 2).filter((name) => values[name] === '');
  if (empty.length > 0) return Object.fromEntries(empty.map((name) => [name, frameText('password_missing')]));
  return values.new === values.again ? {} : { again: frameText('password_differs') };
}

/** @returns the refusal, if it concerns a field. @throws PortalError for other refusals */
async function refusalOf(changed: Promise<void>): Promise<Faults | undefined> {
  try {
    await changed;
    return undefined;
  } catch (error) {
    if (!(error instanceof PortalError)) throw error;
    if (error.code === 'invalid_credentials') return { current: frameText('password_wrong') };
    const fault = error.problem?.errors?.find(({ pointer }) => pointer === '/new');
    if (!fault) throw error;
    return { new: frameText('password_refused', { detail: fault.detail }) };
  }
}
