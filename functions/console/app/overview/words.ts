import { hasText, sayText } from '../../../../shared/web/text/texts.ts';
import type { MarkTone } from '../../../../shared/web/ui/figures/mark.tsx';
import { say } from '../texts.ts';
import type { Failure, FleetNode, Gateway } from './dashboard.ts';
import type { SiteState } from './fleet.ts';

export const tones: Record<SiteState, MarkTone> = {
  pass: 'good',
  fail: 'bad',
  degraded: 'warn',
  maintenance: 'warn',
  disabled: 'off',
  unknown: 'none',
};

export const stateText = (state: SiteState): string => say(`state_${state}`);

/** The part of an error code that the texts name, such as `expired` of `upstream_tls:expired`. */
const reasonIn = (code: string): string => code.replace(/^[^:]*:|^upstream_/, '');

/** Why probes of a node fail, as a sentence in the past tense. Unknown codes are shown as they are. */
export function causeText(code: string): string {
  const key = `cause_${reasonIn(code)}`;
  return hasText(key) ? sayText(key) : say('cause_other', { code });
}

/** What failed, as a sentence. Records of agents and administrators have their own texts. */
export function failureText({ code, cause, message }: Failure): string {
  if (code === 'dispatcher_fail') return causeText(cause);
  const key = `failure_${code}`;
  return code !== '' && hasText(key) ? sayText(key) : message;
}

/** What is wrong with a node besides its state; empty if nothing is. */
export function troublesOf({ state, last_error, circuit }: FleetNode): string[] {
  if (state === 'disabled') return [];
  return [
    ...(last_error === null ? [] : [causeText(last_error)]),
    ...(circuit === 'open' ? [say('circuit_open')] : []),
    ...(circuit === 'half_open' ? [say('circuit_half_open')] : []),
  ];
}

/** A gateway that is switched off or in maintenance is not expected to send heartbeats. */
export function gatewayState({ enabled, maintenance, state }: Gateway): [MarkTone, string] {
  if (!enabled) return ['off', say('state_disabled')];
  if (maintenance) return ['warn', say('state_maintenance')];
  if (state === 'online') return ['good', say('gateway_online')];
  return state === 'offline' ? ['bad', say('gateway_offline')] : ['none', say('state_unknown')];
}
