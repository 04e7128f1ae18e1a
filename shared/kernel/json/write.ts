import { nextTurn } from '../concurrency/event-loop.ts';
import { isObject } from './json.ts';

/** Elements that are written in one turn. */
const ofTurn = 2_000;
/** Levels on which long arrays are looked for: those of a list, of its resources, and of their attributes. */
const levels = 3;

/**
 * The text that `JSON.stringify` returns for an object without a method `toJSON`. Arrays with thousands of elements are written
 * in parts, and other requests run in between.
 */
export async function jsonInTurns(value: unknown): Promise<string> {
  return hasLongArray(value, levels) ? inParts(value) : JSON.stringify(value);
}

function hasLongArray(value: unknown, depth: number): boolean {
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.length > ofTurn || value.some((one) => hasLongArray(one, depth - 1));
  return isObject(value) && Object.values(value).some((one) => hasLongArray(one, depth - 1));
}

async function inParts(value: unknown): Promise<string> {
  if (Array.isArray(value)) return value.length > ofTurn ? longArray(value) : shortArray(value);
  if (!isObject(value) || !hasLongArray(value, levels)) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${await inParts(member)}`);
  return `{${members.join()}}`;
}

async function longArray(elements: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < elements.length; at += ofTurn) {
    parts.push(JSON.stringify(elements.slice(at, at + ofTurn)).slice(1, -1));
    await nextTurn();
  }
  return `[${parts.join()}]`;
}

async function shortArray(elements: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  for (const element of elements) parts.push(await inParts(element));
  return `[${parts.join()}]`;
}
