import type { Change, ChangePosition } from '../../db/repositories/changes/changes.ts';
import { cursorOf } from './cursor.ts';

/** Interval in milliseconds at which clients should open an ended stream again. */
const retryMs = 2_000;

const encoder = new TextEncoder();

/** What is public of a change. */
export const changeView = ({ kind, id, list }: Pick<Change, 'kind' | 'id' | 'list'>) => ({
  kind,
  id,
  ...(list !== undefined && { list }),
});

/** A change as a server-sent event. The id of the event is the cursor behind the change. */
export const changeText = (epoch: string, change: Change): string =>
  `id: ${cursorOf(epoch, change)}\nevent: change\ndata: ${JSON.stringify(changeView(change))}\n\n`;

/** The client has to read again what it shows. */
export const resetText = (epoch: string, position: ChangePosition): string =>
  `id: ${cursorOf(epoch, position)}\nevent: reset\ndata: {}\n\n`;

export const openingText = `retry: ${retryMs}\n: changes\n\n`;
export const heartbeat = encoder.encode(': \n\n');
export const bytesOf = (text: string): Uint8Array => encoder.encode(text);
