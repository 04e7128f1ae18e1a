import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { may } from '../../facts.ts';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import { titleOf } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { EffectOf } from '../../records/record/effect.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import {
  curlOf,
  type Effect,
  pathValues,
  type RecordState,
  type Target,
  tryWrite,
  type Write,
  write,
  writeOf,
} from '../../records/requests.ts';
import { addressOf } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../setup.module.css';

type DrainDialogProps = { target: Target; state: RecordState; onClose: () => void };

/** Puts a site into maintenance by a template, or ends its maintenance. */
export function DrainDialog({ target, state, onClose }: DrainDialogProps): JSX.Element {
  const { kind } = target;
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const isEnding = state.row.maintenance === true;
  const [template, setTemplate] = useState<string | undefined>();
  const [effect, setEffect] = useState<Effect>();
  const what = writeFor(target, state, isEnding, template);
  const name = titleOf(kind, state.row);
  const send = () =>
    run(async () => {
      await write(what);
      toast(say(isEnding ? 'setup_undrained' : 'setup_drained', { name }));
      onClose();
      await forgetKind(client, kind.type);
    });
  return (
    <Dialog
      title={say(isEnding ? 'setup_undrain_title' : 'setup_drain_title', { name })}
      onClose={onClose}
      actions={
        <>
          <CopyCommand command={() => curlOf(writeOf(what))} />
          <Button look="plain" onClick={() => run(async () => setEffect(await tryWrite(what)))}>
            {say('try_first')}
          </Button>
          <Button busy={isBusy} onClick={send}>
            {say(isEnding ? 'setup_undrain' : 'setup_drain')}
          </Button>
        </>
      }
    >
      <p>{say(isEnding ? 'setup_undrain_text' : 'setup_drain_text')}</p>
      {!isEnding && <TemplateChoice template={template} onTemplate={setTemplate} />}
      {problem && <ProblemNotice problem={problem} />}
      {effect && <EffectOf kind={kind} effect={effect} />}
    </Dialog>
  );
}

function writeFor(
  target: Target,
  { etag }: RecordState,
  isEnding: boolean,
  template: string | undefined,
): Write {
  const { kind, parents, id } = target;
  return {
    verb: kind.update ?? kind.list,
    path: pathValues(kind, parents, id),
    body: isEnding
      ? { maintenance: false, maintenance_template_id: null }
      : { maintenance: true, maintenance_template_id: template ?? null },
    etag,
  };
}

type TemplateChoiceProps = { template: string | undefined; onTemplate: (id: string | undefined) => void };

const TemplateChoice = ({ template, onTemplate }: TemplateChoiceProps): JSX.Element => (
  <>
    <ReferenceInput
      label={say('setup_template')}
      hint={say('setup_template_hint')}
      type="maintenance_template"
      ids={template === undefined ? [] : [template]}
      isMany={false}
      onChange={([id]) => onTemplate(id)}
    />
    {may(['maintenance.create']) && (
      <p class={classes.quiet}>
        <a href={addressOf(['maintenance_template', 'new'])}>{say('setup_new_template')}</a>
      </p>
    )}
  </>
);
