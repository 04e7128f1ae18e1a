import { request } from 'undici';
import type { Json } from '../../e2e/support/api.ts';
import type { Target } from '../load.ts';

/** Members that depend on the moment of the answer: whether a farm was called for it, and how that ended. */
const momentary = ['took_ms', 'error', 'maintenance_message'];
const attempts = 3;

/**
 * A floor that answers less than the portal would flatter the floor. Repeated, because lists change while they are
 * synchronized.
 * @throws Error with both shapes if the answers have other members or lists of other lengths
 */
export async function assertSameShape(portal: Target, floor: Target): Promise<void> {
  const shapes: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [ours, bare] = [shapeOf(await answerOf(portal)), shapeOf(await answerOf(floor))];
    if (ours === bare) return;
    shapes.splice(0, 2, ours, bare);
  }
  throw new Error(`${floor.url} has another shape than the portal:\n${shapes.join('\n')}`);
}

/** The members of an answer with the length of each list, without values: `{items[50×{id,name}]}`. */
export function shapeOf(value: Json): string {
  if (Array.isArray(value)) return `[${value.length}×${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object' || value === null) return '';
  const members = Object.keys(value).filter((name) => !momentary.includes(name));
  return `{${members
    .sort()
    .map((name) => name + shapeOf(value[name]))
    .join(',')}}`;
}

async function answerOf({ url, headers }: Target): Promise<Json> {
  const { statusCode, body } = await request(url, { headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url} was answered ${statusCode}: ${text}`);
  return JSON.parse(text);
}
