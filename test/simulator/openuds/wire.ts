import type { IncomingMessage } from 'node:http';
import type { BrokerState, Mode, Session, User } from './state.ts';

/** An answer of the broker. Objects and arrays are sent as JSON, texts as they are. */
export type Reply = {
  status: number;
  body: unknown;
  headers?: Record<string, string | string[]>;
  type?: string;
};

/** One request, as the calls see it. */
export type Ask = {
  state: BrokerState;
  mode: Mode;
  method: string;
  /** Segments after the base path of REST. */
  path: string[];
  query: URLSearchParams;
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
  host: string;
  address: string;
  caller: { session: Session; user: User } | undefined;
};

export type Handler = (ask: Ask, ...ids: string[]) => Reply | Promise<Reply>;

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** Versions before 5.0 answer errors as text. */
export const fault = ({ mode }: Pick<Ask, 'mode'>, status: number, text: string): Reply =>
  mode === '5.0' ? { status, body: { error: text } } : { status, body: text, type: 'text/plain' };

export const denied = (ask: Ask, text = 'access denied'): Reply =>
  fault(ask, 403, ask.mode === '5.0' ? 'Access denied' : text);
export const missing = (ask: Ask): Reply => fault(ask, 404, 'Item not found');
export const crashed = (ask: Ask, text: string): Reply => fault(ask, 500, text);

/** An answer with the status of success that is a refusal. */
export const refusal = ({ state }: Ask, error: string, more: object = {}): Reply =>
  ok({ result: '', date: Math.floor((Date.now() + state.skewMs) / 1_000), error, ...more });

export const result = ({ state }: Ask, value: unknown): Reply =>
  ok({ result: value, date: Math.floor((Date.now() + state.skewMs) / 1_000) });
