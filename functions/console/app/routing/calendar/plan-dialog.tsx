import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { SelectField } from '../../../../../shared/web/ui/controls/field.tsx';
import { Notice } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import { allowed, type Kind, kindOf, useKinds } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { EffectOf } from '../../records/record/effect.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type Effect, tryWrite, type Write, write, writeOf } from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './calendar.module.css';

const types = ['farm', 'site'];

/** The kinds of objects that the user may put into maintenance here. Pools and workplaces have their own lists. */
export const usePlannable = (): Kind[] => {
  const kinds = useKinds();
  return types.flatMap((type) => {
    const kind = kindOf(kinds, type);
    return kind && allowed(kind.update) ? [kind] : [];
  });
};

type PlanDialogProps = { kinds: readonly Kind[]; onClose: () => void };

/** Puts a site or a farm into maintenance, at once or by a template. */
export function PlanDialog({ kinds, onClose }: PlanDialogProps): JSX.Element {
  const plan = usePlan(kinds, onClose);
  const { what, template, problem, isBusy, effect, kind } = plan;
  return (
    <Dialog
      title={say('calendar_plan')}
      onClose={onClose}
      actions={
        <>
          {what && <CopyCommand command={() => curlOf(writeOf(what))} />}
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button look="plain" busy={isBusy} disabled={!what} onClick={plan.tryFirst}>
            {say('try_first')}
          </Button>
          <Button busy={isBusy} disabled={!what} onClick={plan.save}>
            {template === undefined ? say('calendar_begin_now') : say('calendar_plan')}
          </Button>
        </>
      }
    >
      <div class={classes.plan}>
        <Inputs kinds={kinds} plan={plan} />
        {template === undefined && <Notice tone="warn" title={say('calendar_at_once')} />}
        {problem && <ProblemNotice problem={problem} />}
        {effect && kind && <EffectOf kind={kind} effect={effect} />}
      </div>
    </Dialog>
  );
}

type Plan = ReturnType<typeof usePlan>;
type Choice = { type: string; id?: string | undefined; template?: string | undefined };

function usePlan(kinds: readonly Kind[], onClose: () => void) {
  const [choice, setChoice] = useState<Choice>({ type: kinds[0]?.type ?? '' });
  const [effect, setEffect] = useState<Effect>();
  const { problem, isBusy, run } = useRequest();
  const client = useQueryClient();
  const { type, id, template } = choice;
  const kind = kinds.find((one) => one.type === type);
  const what = kind && id ? planOf(kind, id, template) : undefined;
  return {
    ...{ type, id, template, kind, what, effect, problem, isBusy },
    change: (changes: Partial<Choice>) => {
      setEffect(undefined);
      setChoice({ ...choice, ...changes });
    },
    tryFirst: () => run(async () => what && setEffect(await tryWrite(what))),
    save: () =>
      run(async () => {
        if (!what) return;
        await write(what);
        toast(say('calendar_done'));
        onClose();
        await Promise.all([forgetKind(client, type), client.invalidateQueries({ queryKey: ['calendar'] })]);
      }),
  };
}

const Inputs = ({
  kinds,
  plan: { type, id, template, kind, change },
}: {
  kinds: readonly Kind[];
  plan: Plan;
}): JSX.Element => (
  <>
    <SelectField
      label={say('calendar_object_type')}
      value={type}
      options={kinds.map((one) => [one.type, one.one] as const)}
      onChange={(chosen) => change({ type: chosen, id: undefined })}
    />
    <ReferenceInput
      label={kind?.one ?? ''}
      type={type}
      ids={id ? [id] : []}
      isMany={false}
      isRequired={true}
      onChange={([chosen]) => change({ id: chosen })}
    />
    <ReferenceInput
      label={say('calendar_template')}
      hint={say('calendar_template_hint')}
      type="maintenance_template"
      ids={template ? [template] : []}
      isMany={false}
      onChange={([chosen]) => change({ template: chosen })}
    />
    <a href={addressOf(['maintenance_template', 'new'])}>{say('calendar_new_template')}</a>
  </>
);

const planOf = (kind: Kind, id: string, template: string | undefined): Write => ({
  verb: kind.update ?? kind.list,
  path: { [kind.idParam ?? 'id']: id },
  body: { maintenance: true, maintenance_template_id: template ?? null },
});
