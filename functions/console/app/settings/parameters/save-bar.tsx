import type { JSX } from 'preact';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { may } from '../../facts.ts';
import { ConflictDialog } from '../../records/form/conflict-dialog.tsx';
import type { Values } from '../../records/form/form-values.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { curlOf, type Effect } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from './parameters.module.css';
import { effectOf, fieldOf, labelOf, type Parameter, valueText } from './parameters.ts';
import type { Edits } from './use-edits.ts';
import { type Parameters, requestOf, type Saving } from './use-saving.ts';

type SaveBarProps = Parameters & {
  edits: Edits;
  saving: Saving;
  onReplace: (edits: Edits) => void;
  onDiscard: () => void;
};

/** What can be done with the edited parameters. */
export function SaveBar({ edits, saving, onReplace, onDiscard, ...read }: SaveBarProps): JSX.Element {
  const { problem, isBusy, effect, conflicts } = saving;
  const discard = () => {
    saving.forget();
    onDiscard();
  };
  return (
    <div class={classes.bar}>
      {problem && <Refused saving={saving} />}
      <div class={classes.buttons}>
        <strong role="status">{say('parameters_edited', { count: edits.size })}</strong>
        <CopyCommand command={() => curlOf(requestOf(edits, read.etag))} />
        <Button look="plain" onClick={discard}>
          {say('discard')}
        </Button>
        <Button look="plain" busy={isBusy} onClick={saving.tryFirst}>
          {say('try_first')}
        </Button>
        {may(['system_parameters.update']) && (
          <Button busy={isBusy} onClick={saving.save}>
            {say('save')}
          </Button>
        )}
      </div>
      {effect && <EffectDialog parameters={read.parameters} effect={effect} onClose={saving.forgetEffect} />}
      {conflicts && (
        <ConflictDialog
          conflicts={conflictsOf(conflicts, edits)}
          onClose={saving.forgetConflicts}
          onResolve={(chosen) => resolve({ conflicts, edits, chosen, saving, onReplace })}
        />
      )}
    </div>
  );
}

/** Faults of parameters are at their inputs. */
const Refused = ({ saving: { problem } }: { saving: Saving }): JSX.Element | null => {
  if (!problem) return null;
  return problem.faults ? (
    <Notice tone="bad" title={say('has_faults', { count: problem.faults.length })} isAlert={true} />
  ) : (
    <ProblemNotice problem={problem} />
  );
};

const conflictsOf = (conflicts: readonly Parameter[], edits: Edits) =>
  conflicts.map((parameter) => {
    const edit = edits.get(parameter.name);
    return {
      field: fieldOf(parameter, false),
      mine: edit?.value,
      theirs: parameter.value,
      original: edit?.original,
    };
  });

type Resolution = {
  conflicts: readonly Parameter[];
  edits: Edits;
  chosen: Values;
  saving: Saving;
  onReplace: (edits: Edits) => void;
};

/** Saves the chosen values. A parameter whose newer value was chosen is not sent. */
function resolve({ conflicts, edits, chosen, saving, onReplace }: Resolution): void {
  const next = new Map(edits);
  for (const { name, value } of conflicts)
    if (chosen[name] === value) next.delete(name);
    else next.set(name, { value: chosen[name], original: value });
  onReplace(next);
  saving.forgetConflicts();
  if (next.size > 0) void saving.resolve(next);
}

type EffectDialogProps = { parameters: readonly Parameter[]; effect: Effect; onClose: () => void };

/** What the change would do, from a trial of the portal. */
const EffectDialog = ({ parameters, effect: { events }, onClose }: EffectDialogProps): JSX.Element => (
  <Dialog
    title={say('would_change')}
    onClose={onClose}
    actions={<Button onClick={onClose}>{say('close')}</Button>}
  >
    <p>{say('nothing_changed_yet')}</p>
    {events.length === 0 ? (
      <p>{say('no_effect')}</p>
    ) : (
      <dl class={classes.effects}>
        {events.map(({ object_name, changes }) => (
          <EffectOf
            key={object_name}
            name={object_name ?? ''}
            change={changes[0]}
            parameter={parameters.find(({ name }) => name === object_name)}
          />
        ))}
      </dl>
    )}
    <p class={classes.quiet}>{say('parameters_take_effect')}</p>
  </Dialog>
);

type EffectOfProps = {
  name: string;
  change: Effect['events'][number]['changes'][number] | undefined;
  parameter: Parameter | undefined;
};

const EffectOf = ({ name, change, parameter }: EffectOfProps): JSX.Element => (
  <div>
    <dt>{labelOf(name)}</dt>
    {parameter && change && (
      <dd>
        <del>{valueText(parameter, change.before)}</del> → <ins>{valueText(parameter, change.after)}</ins>
      </dd>
    )}
    {effectOf(name) !== undefined && <dd>{effectOf(name)}</dd>}
  </div>
);
