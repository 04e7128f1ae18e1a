import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { faultsByPlace, isEqual, recordValues, type Values } from '../../records/form/form-values.ts';
import { Input } from '../../records/form/input.tsx';
import { type Kind, type Row, titleOf, type Verb } from '../../records/kinds.ts';
import { Changes } from '../../records/record/changes.tsx';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type Write, write, writeOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from './parts.module.css';

type PoolFormProps = { kind: Kind; verb: Verb; row: Row; onClose: () => void; onSaved: () => void };

/** The settings of a pool on its dispatcher. What differs is shown before it is saved. */
export function PoolForm(props: PoolFormProps): JSX.Element {
  const { kind, verb, row, onClose } = props;
  const form = usePoolForm(props);
  const { values, changes, problem } = form;
  const faults = faultsByPlace(verb.fields ?? [], problem?.faults);
  return (
    <Dialog
      title={say('edit_title', { name: titleOf(kind, row) })}
      onClose={onClose}
      actions={<Actions form={form} onClose={onClose} />}
    >
      <div class={classes.form}>
        {verb.fields?.map((field) => (
          <Input
            key={field.name}
            field={field}
            value={values[field.name]}
            place={field.name}
            faults={faults}
            isEdit={true}
            values={values}
            onChange={(value) => form.setValues({ ...values, [field.name]: value })}
          />
        ))}
      </div>
      {changes.length > 0 && (
        <section>
          <h3>{say('would_change')}</h3>
          <Changes kind={kind} changes={changes} />
        </section>
      )}
      {problem && <Refused problem={problem} />}
    </Dialog>
  );
}

type Form = ReturnType<typeof usePoolForm>;

function usePoolForm({ kind, verb, row, onSaved }: PoolFormProps) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const fields = verb.fields ?? [];
  const [start] = useState<Values>(() => recordValues(fields, row));
  const [values, setValues] = useState(start);
  const what: Write = {
    verb,
    path: { id: String(row.farm_id), servicepool_uuid: String(row.uuid) },
    // The dispatcher replaces all settings.
    body: values,
  };
  const changes = fields
    .filter((field) => !isEqual(values[field.name], start[field.name]))
    .map((field) => ({ field: field.name, before: start[field.name], after: values[field.name] }));
  const save = () =>
    run(async () => {
      await write(what);
      toast(say('saved', { name: titleOf(kind, row) }));
      onSaved();
      await forgetKind(client, kind.type);
    });
  return { values, setValues, changes, problem, isBusy, what, save };
}

const Actions = ({ form, onClose }: { form: Form; onClose: () => void }): JSX.Element => (
  <>
    <CopyCommand command={() => curlOf(writeOf(form.what))} />
    <Button look="plain" onClick={onClose}>
      {say('cancel')}
    </Button>
    <Button busy={form.isBusy} disabled={form.changes.length === 0} onClick={form.save}>
      {say('save')}
    </Button>
  </>
);

/** Faults of members are at the members. */
const Refused = ({ problem }: { problem: NonNullable<Form['problem']> }): JSX.Element =>
  problem.faults ? (
    <Notice tone="bad" title={say('has_faults', { count: problem.faults.length })} isAlert={true} />
  ) : (
    <ProblemNotice problem={problem} />
  );
