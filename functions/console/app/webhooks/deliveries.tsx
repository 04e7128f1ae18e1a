import { useInfiniteQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { SelectField } from '../../../../shared/web/ui/controls/field.tsx';
import { Notice } from '../../../../shared/web/ui/feedback/feedback.tsx';
import { Table } from '../../../../shared/web/ui/table/table.tsx';
import { fieldOf, titleOf } from '../records/kinds.ts';
import { pathValues, type RecordState, type Target } from '../records/requests.ts';
import { say } from '../texts.ts';
import { verbOf } from './actions.tsx';
import { columnsOf, type Delivery, type DeliveryState, stateText } from './delivery-columns.tsx';
import { VerbDialog } from './verb-dialog.tsx';
import classes from './webhooks.module.css';

const states: readonly DeliveryState[] = ['waiting', 'delivered', 'dead', 'skipped'];

/** Milliseconds between two reads, while deliveries wait and otherwise. */
const everyMs = { waiting: 3_000, quiet: 15_000 };

type PartProps = { target: Target; state: RecordState };

/** The state of a webhook in words, and its deliveries. */
export function Deliveries({ target, state }: PartProps): JSX.Element {
  const [shown, setShown] = useState<DeliveryState | ''>('');
  return (
    <section class={classes.part} aria-label={say('webhooks_deliveries')}>
      <Health row={state.row} />
      <div class={classes.heading}>
        <h2>{say('webhooks_deliveries')}</h2>
        <ReplayAll target={target} state={state} />
        <SelectField
          label={say('webhooks_state')}
          value={shown}
          options={[['', say('any')], ...states.map((one) => [one, stateText(one)] as const)]}
          onChange={setShown}
        />
      </div>
      <DeliveryTable target={target} shown={shown} />
    </section>
  );
}

function DeliveryTable({ target, shown }: { target: Target; shown: DeliveryState | '' }): JSX.Element {
  const { kind, parents, id } = target;
  const [replayed, setReplayed] = useState<Delivery>();
  const list = useDeliveries(id, shown);
  const replay = verbOf(kind, 'replay');
  const choices = fieldOf(kind, 'events')?.choices ?? [];
  const nameOf = (event: string) =>
    choices.find(({ value }) => value === event)?.label ?? say('webhooks_test_event');
  return (
    <>
      {list.error !== null && <ProblemNotice problem={problemOf(list.error)} />}
      <Table
        caption={say('webhooks_deliveries')}
        columns={columnsOf(nameOf, replay && setReplayed)}
        rows={list.data?.pages.flatMap(({ items }) => items)}
        rowKey={(row) => row.id}
        empty={say(shown === '' ? 'webhooks_no_deliveries' : 'no_matches')}
      />
      {list.hasNextPage && (
        <Button look="plain" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {say('show_more')}
        </Button>
      )}
      {replay && replayed && (
        <VerbDialog
          {...{ kind, verb: replay, path: { ...pathValues(kind, parents, id), delivery_id: replayed.id } }}
          title={say('webhooks_replay_title', { event: nameOf(replayed.event) })}
          text={say('webhooks_replay_text')}
          done={() => say('webhooks_replay_done', { count: 1 })}
          onClose={() => setReplayed(undefined)}
        />
      )}
    </>
  );
}

const useDeliveries = (id: string, state: DeliveryState | '') =>
  useInfiniteQuery({
    queryKey: ['deliveries', 'webhook', id, state],
    queryFn: ({ signal, pageParam }) =>
      portal.call(
        'webhook.listDeliveries',
        {
          path: { id },
          query: {
            limit: 20,
            ...(state !== '' && { state }),
            ...(pageParam !== '' && { cursor: pageParam }),
          },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((one) => one.state === 'waiting'))
        ? everyMs.waiting
        : everyMs.quiet,
  });

/** Why nothing is sent, or what was lost, and what to do. */
function Health({ row }: { row: RecordState['row'] }): JSX.Element | null {
  const { state, reason, dropped } = row;
  if (state === 'paused')
    return (
      <Notice tone="warn" title={say('webhooks_paused')}>
        {say(reason === 'owner_deleted' ? 'webhooks_paused_deleted' : 'webhooks_paused_disabled')}
      </Notice>
    );
  if (reason === 'gone' || reason === 'failing')
    return (
      <Notice tone="bad" title={say('webhooks_disabled')}>
        {say(`webhooks_disabled_${reason}`)}
      </Notice>
    );
  if (typeof dropped === 'number' && dropped > 0)
    return <Notice tone="warn" title={say('webhooks_dropped', { count: dropped })} />;
  return null;
}

/** Sends all failed deliveries again. */
function ReplayAll({ target, state: { row } }: PartProps): JSX.Element | null {
  const { kind, parents, id } = target;
  const [isAsking, setAsking] = useState(false);
  const verb = verbOf(kind, 'replayAll');
  const count = typeof row.dead === 'number' ? row.dead : 0;
  if (!verb || (count === 0 && !isAsking)) return null;
  return (
    <>
      <Button look="plain" onClick={() => setAsking(true)}>
        {say('webhooks_replay_all', { count })}
      </Button>
      {isAsking && (
        <VerbDialog
          kind={kind}
          verb={verb}
          path={pathValues(kind, parents, id)}
          title={say('webhooks_replay_all_title', { name: titleOf(kind, row) })}
          text={say('webhooks_replay_all_text', { count })}
          done={(answer) => say('webhooks_replay_done', { count: Number(answer.count) })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
