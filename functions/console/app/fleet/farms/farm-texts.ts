import type { Operations } from '../../../../../shared/client/operations.ts';
import { durationText } from '../../../../../shared/web/text/moments.ts';
import type { MarkTone } from '../../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../../texts.ts';

/** The state of one farm in a list of pools, workplaces or sessions. */
export type FarmState = Operations['workplace.list']['answer']['sites'][number];

export const toneOf: Record<FarmState['status'], MarkTone> = {
  ok: 'good',
  pending: 'none',
  stale: 'warn',
  timeout: 'bad',
  error: 'bad',
  circuit_open: 'bad',
  maintenance: 'warn',
  disabled: 'off',
};

export const ageText = (time: string, now: number): string =>
  durationText(Math.max(0, now - Date.parse(time)));

/** What a reader has to know about the rows of a farm. */
export function sentenceOf({ status, farm_name: name, fetched_at, error }: FarmState, now: number): string {
  const age = fetched_at === null ? undefined : ageText(fetched_at, now);
  if (status === 'ok') return say('fleet_farm_ok', { age: age ?? '' });
  if (status === 'maintenance' || status === 'disabled') {
    const state = say(`fleet_farm_${status}`, { name });
    return age === undefined ? state : `${state} ${say('fleet_farm_age', { age })}`;
  }
  if (status === 'pending') return say('fleet_farm_pending', { name });
  // Data are also old where the portal has not read them for another reason.
  const isSilent = status !== 'stale' || error !== undefined;
  if (age === undefined) return say('fleet_farm_never', { name });
  return isSilent
    ? `${say('fleet_farm_silent', { name })} ${say('fleet_farm_age', { age })}`
    : say('fleet_farm_stale', { name, age });
}
