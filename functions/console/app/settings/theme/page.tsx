import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { ConflictDialog } from '../../records/form/conflict-dialog.tsx';
import { faultsByPlace, type Values } from '../../records/form/form-values.ts';
import { Input } from '../../records/form/input.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { ColorInput, isColor } from '../../records/form/inputs/color-input.tsx';
import { type Form, useForm } from '../../records/form/use-form.ts';
import type { Field } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { Contrasts } from './contrasts.tsx';
import { Preview } from './preview.tsx';
import classes from './theme.module.css';
import { fields, groups, readTheme, type ThemeState, themeKey, themeWrite } from './theme.ts';
import { useSavingTheme } from './use-theme.ts';

/** Name, colours, pictures and texts of the pages, with a preview of what is typed. */
export function ThemePage(): JSX.Element {
  const { data, error } = useQuery({ queryKey: themeKey, queryFn: ({ signal }) => readTheme(signal) });
  // What is typed is compared with the branding as it was when the form was opened.
  const [read, setRead] = useState<ThemeState>();
  if (data && !read) setRead(data);
  const isOutdated = read !== undefined && data !== undefined && data.etag !== read.etag;
  return (
    <div class={classes.page}>
      <h1>{say('theme')}</h1>
      {error !== null && !read && <ProblemNotice problem={problemOf(error)} />}
      {!read && error === null && <Skeleton height="24rem" />}
      {isOutdated && (
        <Notice tone="info" title={say('changed_meanwhile')} isAlert={true}>
          {say('changed_meanwhile_text')}
        </Notice>
      )}
      {read && <Editor read={read} onSaved={setRead} />}
    </div>
  );
}

type EditorProps = { read: ThemeState; onSaved: (state: ThemeState) => void };

function Editor({ read, onSaved }: EditorProps): JSX.Element {
  const start: Values = read.theme;
  const form = useForm('#/theme', fields, start);
  const saving = useSavingTheme(read, form, (state) => {
    form.replace(state.theme);
    onSaved(state);
  });
  const faults = faultsByPlace(fields, saving.problem?.faults);
  return (
    <div class={classes.editor}>
      <form
        class={classes.form}
        noValidate={true}
        onSubmit={(event) => {
          event.preventDefault();
          void saving.save();
        }}
      >
        <Groups form={form} faults={faults} />
        {saving.problem?.faults && (
          <Notice
            tone="bad"
            title={say('has_faults', { count: saving.problem.faults.length })}
            isAlert={true}
          />
        )}
        {saving.problem && !saving.problem.faults && <ProblemNotice problem={saving.problem} />}
        <Actions read={read} form={form} isBusy={saving.isBusy} />
      </form>
      <Preview values={form.values} />
      {saving.conflicts && (
        <ConflictDialog
          conflicts={saving.conflicts.map(withoutPictures)}
          onClose={saving.forgetConflicts}
          onResolve={saving.resolve}
        />
      )}
    </div>
  );
}

type Conflicts = NonNullable<ReturnType<typeof useSavingTheme>['conflicts']>;

/** The dialog shows values as texts, which pictures do not have; the values themselves are chosen all the same. */
const withoutPictures = (conflict: Conflicts[number]): Conflicts[number] =>
  isPicture(conflict.field)
    ? { ...conflict, field: { ...conflict.field, type: 'object', fields: [] } }
    : conflict;

const isPicture = ({ type }: Field): boolean => type === 'picture';

const inputOf = ({ name }: Field) => (name.endsWith('_color') ? ColorInput : Input);

function Groups({ form, faults }: { form: Form; faults: InputProps['faults'] }): JSX.Element {
  const color = form.values.primary_color;
  return (
    <>
      {groups.map(({ title, fields: members }) => (
        <fieldset key={title} class={classes.group}>
          <legend>{say(title)}</legend>
          {members.map((field: Field) => {
            const Part = inputOf(field);
            return (
              <Part
                key={field.name}
                field={field}
                value={form.values[field.name]}
                place={field.name}
                faults={faults}
                isEdit={true}
                values={form.values}
                onChange={(value) => form.set(field.name, value)}
              />
            );
          })}
          {title === 'theme_colors' && isColor(color) && <Contrasts color={color} />}
        </fieldset>
      ))}
    </>
  );
}

type ActionsProps = { read: ThemeState; form: Form; isBusy: boolean };

const Actions = ({ read, form, isBusy }: ActionsProps): JSX.Element => (
  <div class={classes.buttons}>
    <CopyCommand command={() => curlOf(themeWrite(form.values, read.etag))} />
    <Button look="plain" disabled={!form.isChanged} onClick={form.reset}>
      {say('discard')}
    </Button>
    <Button type="submit" busy={isBusy} disabled={!form.isChanged}>
      {say('save')}
    </Button>
  </div>
);
