import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button, LinkButton } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import { useExtension } from '../extensions.ts';
import type { Field, Kind } from '../kinds.ts';
import { CopyCommand } from '../record/copy-command.tsx';
import { EffectOf } from '../record/effect.tsx';
import { curlOf, type Effect, writeOf } from '../requests.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import type { Edited } from './edited.ts';
import classes from './form.module.css';
import { faultsByPlace } from './form-values.ts';
import { Input } from './input.tsx';
import { IssuedDialog } from './issued-dialog.tsx';
import { type Form, useForm } from './use-form.ts';
import { useSaving } from './use-saving.ts';

/** The members of a record as inputs. What is typed survives a reload and the end of the session. */
export function RecordForm(props: Edited): JSX.Element {
  const { kind, fields, start, existing } = props;
  const address = addressOf([kind.type, existing?.target.id ?? 'new'], props.parents);
  const form = useForm(address, fields, start);
  const saving = useSaving(props, form);
  const { problem, conflict, issued, effect } = saving;
  const faults = faultsByPlace(fields, problem?.faults);
  const place = useFirstFault(problem);
  return (
    <form
      ref={place}
      class={classes.form}
      noValidate={true}
      onSubmit={(event) => {
        event.preventDefault();
        void saving.save();
      }}
    >
      {form.hasDraft && <DraftNotice onDiscard={form.reset} />}
      <Inputs edited={props} form={form} faults={faults} />
      {problem && <Refused problem={problem} text={faults.get('')} />}
      <Actions props={props} isChanged={form.isChanged} saving={saving} />
      {effect && <EffectDialog kind={kind} effect={effect} onClose={saving.forgetEffect} />}
      {conflict && (
        <ConflictDialog
          conflicts={conflict.conflicts}
          onClose={saving.forgetConflict}
          onResolve={saving.resolve}
        />
      )}
      {issued && <IssuedDialog secrets={issued.secrets} onClose={issued.onClose} />}
    </form>
  );
}

/** The first member that was refused gets the focus, because it can be out of sight in a long form. */
function useFirstFault(problem: Saving['problem']) {
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (problem?.faults) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  return place;
}

type InputsProps = { edited: Edited; form: Form; faults: ReadonlyMap<string, string> };

function Inputs({ edited: { kind, fields, start, existing }, form, faults }: InputsProps): JSX.Element {
  const extension = useExtension(kind);
  // Inputs that replace others while something is typed would lose it.
  if (!extension) return <Skeleton height="16rem" />;
  const { inputs: own } = extension;
  const propsOf = (field: Field) => ({
    field,
    value: form.values[field.name],
    saved: start[field.name],
    place: field.name,
    onChange: (value: unknown) => form.set(field.name, value),
  });
  const setterOf = ({ name }: Field) => fields.find(({ storedAs }) => storedAs === name);
  const isSetter = ({ storedAs }: Field) => fields.some(({ name }) => name === storedAs);
  return (
    <>
      {fields
        .filter((field) => !isSetter(field))
        .map((field) => {
          const Part = own?.[field.name] ?? Input;
          const setter = setterOf(field);
          return (
            <Part
              {...propsOf(field)}
              key={field.name}
              faults={faults}
              isEdit={existing !== undefined}
              values={form.values}
              {...(setter && { setter: propsOf(setter) })}
            />
          );
        })}
    </>
  );
}

type Saving = ReturnType<typeof useSaving>;

/** Faults of members are at the members; the notice says that there are some. */
const Refused = ({
  problem,
  text,
}: {
  problem: NonNullable<Saving['problem']>;
  text: string | undefined;
}): JSX.Element =>
  problem.faults && text === undefined ? (
    <Notice tone="bad" title={say('has_faults', { count: problem.faults.length })} isAlert={true} />
  ) : (
    <ProblemNotice problem={text === undefined ? problem : { ...problem, detail: text }} />
  );

const DraftNotice = ({ onDiscard }: { onDiscard: () => void }): JSX.Element => (
  <Notice
    tone="info"
    title={say('draft')}
    actions={
      <Button look="plain" onClick={onDiscard}>
        {say('discard')}
      </Button>
    }
  />
);

type ActionsProps = { props: Edited; isChanged: boolean; saving: Saving };

function Actions({ props: { kind, parents, existing }, isChanged, saving }: ActionsProps): JSX.Element {
  const [isTrying, setTrying] = useState(false);
  const verb = existing ? kind.update : kind.create;
  const tryFirst = () => {
    setTrying(true);
    saving.tryFirst().finally(() => setTrying(false));
  };
  return (
    <div class={classes.bar}>
      <CopyCommand command={() => curlOf(writeOf(saving.what()))} />
      <LinkButton
        look="plain"
        href={addressOf([kind.type, ...(existing ? [existing.target.id] : [])], parents)}
      >
        {say('cancel')}
      </LinkButton>
      {verb?.canTry && (
        <Button look="plain" busy={isTrying} disabled={existing && !isChanged} onClick={tryFirst}>
          {say('try_first')}
        </Button>
      )}
      <Button type="submit" busy={saving.isBusy && !isTrying} disabled={existing && !isChanged}>
        {existing ? say('save') : say('create')}
      </Button>
    </div>
  );
}

type EffectDialogProps = { kind: Kind; effect: Effect; onClose: () => void };

const EffectDialog = ({ kind, effect, onClose }: EffectDialogProps): JSX.Element => (
  <Dialog
    title={say('would_change')}
    onClose={onClose}
    actions={<Button onClick={onClose}>{say('close')}</Button>}
  >
    <p>{say('nothing_changed_yet')}</p>
    <EffectOf kind={kind} effect={effect} />
  </Dialog>
);
