import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { say } from '../../texts.ts';
import { Switch } from '../form/inputs/switch.tsx';
import { type SavedView, useViewWrites } from './use-views.ts';
import classes from './views.module.css';

type NewView = Omit<SavedView, 'id'>;
type NameViewProps = { view: NewView | SavedView; onClose: () => void };

/** Asks for the name of a view, and saves it. A view with an identifier is replaced. */
export function NameView({ view, onClose }: NameViewProps): JSX.Element {
  const id = useId();
  const [name, setName] = useState(view.name);
  const [isDefault, setDefault] = useState(view.is_default);
  const { problem, isBusy, run } = useRequest();
  const { create, replace } = useViewWrites();
  const save = () =>
    run(async () => {
      const saved = { ...view, name, is_default: isDefault };
      await ('id' in saved ? replace(saved) : create(saved));
      toast(say('view_saved', { name }));
      onClose();
    });
  const isNew = !('id' in view);
  const fault = problem?.faults?.find(({ pointer }) => pointer === '/name')?.detail;
  return (
    <Dialog
      title={say(isNew ? 'view_save_title' : 'view_rename_title')}
      onClose={onClose}
      actions={<Buttons form={id} isBusy={isBusy} onClose={onClose} />}
    >
      {isNew && <p>{say('view_save_text')}</p>}
      <NameForm id={id} name={name} fault={fault} onName={setName} onSave={save}>
        <Switch label={say('view_is_default')} isOn={isDefault} onChange={setDefault} />
      </NameForm>
      {problem && fault === undefined && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}

type NameFormProps = {
  id: string;
  name: string;
  fault: string | undefined;
  onName: (name: string) => void;
  onSave: () => void;
  children: JSX.Element;
};

/** The Enter key saves as well. */
const NameForm = ({ id, name, fault, onName, onSave, children }: NameFormProps): JSX.Element => (
  <form
    id={id}
    class={classes.form}
    noValidate={true}
    onSubmit={(event) => {
      event.preventDefault();
      onSave();
    }}
  >
    <Field
      label={say('view_name')}
      type="text"
      maxLength={64}
      autoFocus={true}
      value={name}
      fault={fault}
      onInput={({ currentTarget }) => onName(currentTarget.value)}
    />
    {children}
  </form>
);

type ButtonsProps = { form: string; isBusy: boolean; onClose: () => void };

const Buttons = ({ form, isBusy, onClose }: ButtonsProps): JSX.Element => (
  <>
    <Button look="plain" onClick={onClose}>
      {say('cancel')}
    </Button>
    <Button type="submit" form={form} busy={isBusy}>
      {say('save')}
    </Button>
  </>
);

export function DeleteView({ view, onClose }: { view: SavedView; onClose: () => void }): JSX.Element {
  const { problem, isBusy, run } = useRequest();
  const { remove } = useViewWrites();
  const confirm = () =>
    run(async () => {
      await remove(view);
      toast(say('view_deleted', { name: view.name }));
      onClose();
    });
  return (
    <Dialog
      title={say('view_delete_title', { name: view.name })}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="danger" busy={isBusy} onClick={confirm}>
            {say('delete')}
          </Button>
        </>
      }
    >
      {problem ? <ProblemNotice problem={problem} /> : <p>{say('view_delete_text')}</p>}
    </Dialog>
  );
}
