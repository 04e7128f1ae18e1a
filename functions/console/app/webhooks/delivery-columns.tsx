import type { Operations } from '../../../../shared/client/operations.ts';
import { momentText } from '../../../../shared/web/text/moments.ts';
import { hasText } from '../../../../shared/web/text/texts.ts';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import { Mark, type MarkTone } from '../../../../shared/web/ui/figures/mark.tsx';
import type { Column } from '../../../../shared/web/ui/table/columns.ts';
import { type ConsoleText, say } from '../texts.ts';

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

const timeOf = (time: string | null) =>
  time === null ? '–' : <time dateTime={time}>{momentText(time)}</time>;

/** @param onReplay absent if the user may not send deliveries again */
export const columnsOf = (
  nameOf: (event: string) => string,
  onReplay: ((delivery: Delivery) => void) | undefined,
): Column<Delivery>[] => [
  { key: 'event', header: say('webhooks_event'), cell: ({ event }) => nameOf(event) },
  {
    key: 'state',
    header: say('webhooks_state'),
    cell: (row) => <Mark tone={toneOf(row)}>{stateText(row.state)}</Mark>,
  },
  { key: 'result', header: say('webhooks_result'), cell: resultOf },
  { key: 'attempts', header: say('webhooks_attempts'), align: 'end', cell: ({ attempts }) => attempts },
  { key: 'occurred_at', header: say('webhooks_occurred'), cell: (row) => timeOf(row.occurred_at) },
  { key: 'due_at', header: say('webhooks_next'), priority: 'low', cell: (row) => timeOf(row.due_at) },
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
