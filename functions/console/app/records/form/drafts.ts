import { facts } from '../../facts.ts';
import type { Field } from '../kinds.ts';
import type { Values } from './form-values.ts';

/** What was typed into a form and not saved, kept for this tab of the browser. */
export type Draft = { values: Values; at: number };

/** Hours for which a draft is offered. */
const keptMs = 12 * 3_600_000;

/** Another user may sign in in the same tab. */
const keyOf = (address: string): string => `draft ${facts.user.id} ${address}`;

/** @returns undefined without a draft, or if the browser stores nothing */
export function readDraft(address: string): Draft | undefined {
  try {
    const draft: Draft | null = JSON.parse(sessionStorage.getItem(keyOf(address)) ?? 'null');
    return draft && Date.now() - draft.at < keptMs ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what is typed, without secrets. */
export function keepDraft(address: string, fields: readonly Field[], values: Values): void {
  const secrets = new Set(fields.filter(({ type }) => type === 'secret').map(({ name }) => name));
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name)));
  try {
    sessionStorage.setItem(keyOf(address), JSON.stringify({ values: kept, at: Date.now() }));
  } catch {
    // The form then has no draft.
  }
}

export function dropDraft(address: string): void {
  try {
    sessionStorage.removeItem(keyOf(address));
  } catch {
    // Nothing is stored.
  }
}
