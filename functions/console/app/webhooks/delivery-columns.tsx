import type { JSX } from 'preact';
import type { Operations } from '../../../../shared/client/operations.ts';
import { momentText } from '../../../../shared/web/text/moments.ts';
import { hasText } from '../../../../shared/web/text/texts.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Mark, type MarkTone } from '../../../../shared/web/ui/figures/mark.tsx';
import type { Column } from '../../../../shared/web/ui/table/columns.ts';
import { type ConsoleText, say } from '../texts.ts';
import classes from './webhooks.module.css';

export type Delivery = Operations['webhook.listDeliveries']['answer']['items'][number];
export type DeliveryState = Delivery['state'];

export const stateText = (state: DeliveryState): string => say(`webhooks_state_${state}`);

const tones: Record<DeliveryState, MarkTone> = {
  waiting: 'none',
  delivered: 'good',
  dead: 'bad',
  skipped: 'off',
};

/** What came of the last attempt. */
function resultOf({ status, error }: Delivery): string {
  if (status !== null) return say('webhooks_status', { status: String(status) });
  if (error === null) return '–';
  const text = `webhooks_error_${error}`;
  return hasText(text) ? say(text as ConsoleText) : say('webhooks_error_unreachable');
}

/** A waiting delivery that was tried before has failed so far. */
const toneOf = ({ state, attempts }: Delivery): MarkTone =>
  state === 'waiting' && attempts > 0 ? 'warn' : tones[state];

const timeOf = (time: string): JSX.Element => <time dateTime={time}>{momentText(time)}</time>;

/** A waiting delivery also has the time of its next attempt. */
const State = ({ row }: { row: Delivery }): JSX.Element => (
  <>
    <Mark tone={toneOf(row)}>{stateText(row.state)}</Mark>
    {row.due_at !== null && row.attempts > 0 && (
      <span class={classes.second}>{say('webhooks_next', { time: momentText(row.due_at) })}</span>
    )}
  </>
);

const Result = ({ row }: { row: Delivery }): JSX.Element => (
  <>
    {resultOf(row)}
    {row.attempts > 0 && (
      <span class={classes.second}>{say('webhooks_attempts', { count: row.attempts })}</span>
    )}
  </>
);

/** @param onReplay absent if the user may not send deliveries again */
export const columnsOf = (
  nameOf: (event: string) => string,
  onReplay: ((delivery: Delivery) => void) | undefined,
): Column<Delivery>[] => [
  { key: 'event', header: say('webhooks_event'), cell: ({ event }) => nameOf(event) },
  { key: 'state', header: say('webhooks_state'), cell: (row) => <State row={row} /> },
  { key: 'result', header: say('webhooks_result'), cell: (row) => <Result row={row} /> },
  { key: 'occurred_at', header: say('webhooks_occurred'), cell: (row) => timeOf(row.occurred_at) },
  ...(onReplay
    ? [
        {
          key: 'replay',
          header: say('webhooks_action'),
          cell: (row: Delivery) =>
            row.state === 'waiting' ? (
              '–'
            ) : (
              <Button look="quiet" onClick={() => onReplay(row)}>
                {say('webhooks_replay')}
              </Button>
            ),
        },
      ]
    : []),
];
