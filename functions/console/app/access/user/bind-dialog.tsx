import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { filledPath, type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field, SelectField } from '../../../../../shared/web/ui/controls/field.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import type { UserAccess } from './use-access.ts';

type BindDialogProps = {
  domainId: string;
  users: readonly { id: string; name: string }[];
  /** How users of the domain are bound. */
  access: Pick<UserAccess, 'bound_by' | 'tenants'>;
  onClose: () => void;
  onDone?: () => void;
};

type Outcome = Operations['user.bindMany']['answer'];

/** The action for one or several users of a domain. */
export function BindButton(props: Omit<BindDialogProps, 'onClose'>): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button look="plain" onClick={() => setAsking(true)}>
        {say('access_bind')}
      </Button>
      {isAsking && <BindDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Binds users to persons: the portal looks them up in the directory, or the administrator enters their identifiers. */
function BindDialog(props: BindDialogProps): JSX.Element {
  const { users, access, onClose } = props;
  const [entered, enter] = useState<Entered>({ subjects: {}, tenant: access.tenants[0] });
  const isBySubject = access.bound_by === 'subject';
  const items = isBySubject ? personsOf(users, entered) : users.map(({ id }) => ({ id }));
  const state = useBinding(props, items);
  return (
    <Dialog
      title={titleFor(users)}
      onClose={onClose}
      actions={<Buttons state={state} canSend={items.length > 0} onClose={onClose} />}
    >
      {isBySubject ? (
        <Persons {...props} entered={entered} onChange={enter} />
      ) : (
        <>
          <p>{say('access_bind_text')}</p>
          <p>{users.map(({ name }) => name).join(', ')}</p>
        </>
      )}
      {state.outcome && <Refused outcome={state.outcome} users={users} />}
      {state.problem && <ProblemNotice problem={state.problem} />}
    </Dialog>
  );
}

function titleFor([first, ...others]: BindDialogProps['users']): string {
  if (first && others.length === 0) return say('access_bind_title', { name: first.name });
  return say('access_bind_many_title', { count: others.length + 1 });
}

/** What the administrator enters: identifiers by the ids of the users, and the tenant of these persons if there are several. */
type Entered = { subjects: Readonly<Record<string, string>>; tenant: string | undefined };

/** The users with an identifier; the others stay as they are. */
const personsOf = (users: BindDialogProps['users'], { subjects, tenant }: Entered) =>
  users.flatMap(({ id }) => {
    const subject = subjects[id]?.trim();
    return subject ? [{ id, subject, ...(tenant !== undefined && { tenant }) }] : [];
  });

type PersonsProps = Pick<BindDialogProps, 'users' | 'access'> & {
  entered: Entered;
  onChange: (entered: Entered) => void;
};

const Persons = ({ users, access: { tenants }, entered, onChange }: PersonsProps): JSX.Element => (
  <>
    <p>{say('access_bind_subject_text')}</p>
    {entered.tenant !== undefined && (
      <SelectField
        label={say('access_bind_tenant')}
        value={entered.tenant}
        options={tenants.map((one) => [one, one])}
        onChange={(tenant) => onChange({ ...entered, tenant })}
      />
    )}
    {users.map(({ id, name }) => (
      <Field
        key={id}
        label={say('access_bind_subject', { name })}
        value={entered.subjects[id] ?? ''}
        autocomplete="off"
        onInput={({ currentTarget: { value } }) =>
          onChange({ ...entered, subjects: { ...entered.subjects, [id]: value } })
        }
      />
    ))}
  </>
);

type State = ReturnType<typeof useBinding>;

/** Milliseconds for a request, in which a directory can be asked about each user. */
const limitMs = 60_000;

function useBinding({ domainId, onClose, onDone }: BindDialogProps, items: readonly object[]) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [outcome, setOutcome] = useState<Outcome>();
  const sending: Sending = {
    method: 'POST',
    path: filledPath('/api/webui/aggregator/authenticators/{auth_uuid}/users/bind', { auth_uuid: domainId }),
    body: { items },
  };
  const send = async (headers: Record<string, string> = {}) =>
    (await sendRequest({ ...sending, headers, signal: AbortSignal.timeout(limitMs) })).body;
  const attempt = () =>
    run(async () => {
      const { would } = (await send({ 'x-dry-run': 'true' })) as { would: { body: Outcome } };
      setOutcome(would.body);
    });
  const bind = () =>
    run(async () => {
      const done = (await send()) as Outcome;
      await Promise.all([
        client.invalidateQueries({ queryKey: ['access'] }),
        ...['user', 'portalUser'].map((type) => forgetKind(client, type)),
      ]);
      setOutcome(done);
      if (done.bound_count > 0) toast(say('access_done_many', { count: done.bound_count }));
      if (done.failed_count > 0) return;
      onDone?.();
      onClose();
    });
  return { sending, problem, isBusy, outcome, attempt, bind };
}

type ButtonsProps = { state: State; canSend: boolean; onClose: () => void };

const Buttons = ({ state, canSend, onClose }: ButtonsProps): JSX.Element => (
  <>
    {canSend && <CopyCommand command={() => curlOf(state.sending)} />}
    <Button look="plain" busy={state.isBusy} disabled={!canSend} onClick={state.attempt}>
      {say('try_first')}
    </Button>
    <Button look="plain" onClick={onClose}>
      {say('cancel')}
    </Button>
    <Button busy={state.isBusy} disabled={!canSend} onClick={state.bind}>
      {say('access_bind')}
    </Button>
  </>
);

type RefusedProps = { outcome: Outcome } & Pick<BindDialogProps, 'users'>;

/** The number of users that were or would be bound, and the others with the reasons. */
const Refused = ({ outcome: { bound_count, failed_count, failed }, users }: RefusedProps): JSX.Element => (
  <div role="status">
    <p>
      {say('access_progress', { done: bound_count, count: bound_count + failed_count })}
      {failed_count > 0 && `. ${say('access_some_failed', { failed: failed_count })}:`}
    </p>
    <ul>
      {failed.map(({ id, detail }) => (
        <li key={id}>
          <b>{users.find((user) => user.id === id)?.name}</b>: {detail}
        </li>
      ))}
    </ul>
  </div>
);
