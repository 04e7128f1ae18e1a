import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { filledPath, type Sending, sendRequest } from '../../../../../shared/web/client/request.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { countText } from '../../../../../shared/web/text/numbers.ts';
import { hasText, sayText } from '../../../../../shared/web/text/texts.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Field } from '../../../../../shared/web/ui/controls/field.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { may } from '../../facts.ts';
import { idOf, type Kind, type Row } from '../../records/kinds.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { DeleteDialog } from '../../records/record/delete-dialog.tsx';
import { EffectOf } from '../../records/record/effect.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type Effect } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import classes from './portals.module.css';

type DialogPartsProps = { kind: Kind; row: Row; onClose: () => void };

const limitMs = 20_000;

/** Tags and metrics of a portal, and its deletion once it no longer reports. */
export function PortalParts({ kind, row, onClose }: DialogPartsProps): JSX.Element {
  const [isDeleting, setDeleting] = useState(false);
  useEffect(() => {
    if (!isDeleting) return;
    // A deletion opens the list, which this dialog would cover.
    addEventListener('hashchange', onClose);
    return () => removeEventListener('hashchange', onClose);
  }, [isDeleting]);
  const id = idOf(kind, row);
  return (
    <>
      {may(['portals.update']) && <Tags kind={kind} id={id} row={row} onSaved={onClose} />}
      <Metrics id={id} />
      {row.state === 'offline' && may(['portals.delete']) && (
        <div class={classes.delete}>
          <p>{say('portals_delete_text')}</p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            {kind.delete?.label ?? say('delete')}
          </Button>
        </div>
      )}
      {isDeleting && (
        <DeleteDialog
          // Single portals cannot be read, so the catalogue has no name for this parameter.
          target={{ kind: { ...kind, idParam: 'uuid' }, parents: {}, id }}
          state={{ row, etag: undefined }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

type TagsProps = { kind: Kind; id: string; row: Row; onSaved: () => void };

function Tags({ kind, id, row, onSaved }: TagsProps): JSX.Element {
  const stored = Array.isArray(row.tags) ? row.tags.join(', ') : '';
  const [text, setText] = useState(stored);
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const [effect, setEffect] = useState<Effect>();
  const attempt = () => run(async () => setEffect(await tryTags(id, text)));
  const save = () =>
    run(async () => {
      await sendRequest({ ...tagsWrite(id, text), signal: AbortSignal.timeout(limitMs) });
      toast(say('portals_tags_saved'));
      onSaved();
      await forgetKind(client, kind.type);
    });
  return (
    <form
      class={classes.tags}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={say('portals_tags')}
        hint={say('portals_tags_hint')}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setEffect(undefined);
        }}
      />
      {text !== stored && <TagButtons sending={() => tagsWrite(id, text)} isBusy={isBusy} onTry={attempt} />}
      {effect && <EffectOf kind={kind} effect={effect} />}
      {problem && <ProblemNotice problem={problem} />}
    </form>
  );
}

type TagButtonsProps = { sending: () => Sending; isBusy: boolean; onTry: () => void };

const TagButtons = ({ sending, isBusy, onTry }: TagButtonsProps): JSX.Element => (
  <div class={classes.buttons}>
    <CopyCommand command={() => curlOf(sending())} />
    <Button look="plain" busy={isBusy} onClick={onTry}>
      {say('try_first')}
    </Button>
    <Button type="submit" busy={isBusy}>
      {say('save')}
    </Button>
  </div>
);

const tagsWrite = (id: string, text: string): Sending => ({
  method: 'PATCH',
  path: filledPath('/api/webui/aggregator/appnodes/portals/{uuid}/tags', { uuid: id }),
  body: {
    tags: text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  },
});

async function tryTags(id: string, text: string): Promise<Effect> {
  const headers = { 'x-dry-run': 'true' };
  const { body } = await sendRequest({
    ...tagsWrite(id, text),
    headers,
    signal: AbortSignal.timeout(limitMs),
  });
  return (body as { would: Effect }).would;
}

/** The figures of the last heartbeat. */
function Metrics({ id }: { id: string }): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['portal-metrics', 'portal', id],
    queryFn: ({ signal }) =>
      portal.call(
        'portal.readMetrics',
        { path: { uuid: id } },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
  });
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="8rem" />;
  const figures = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, value] as const] : [],
  );
  return (
    <section>
      <h3>{say('portals_metrics')}</h3>
      {figures.length === 0 && <p>{say('portals_no_metrics')}</p>}
      <dl class={classes.metrics}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{hasText(`portals_metric_${name}`) ? sayText(`portals_metric_${name}`) : name}</dt>
            <dd>{countText(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
