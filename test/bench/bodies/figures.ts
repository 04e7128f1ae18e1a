import { bodyLimitOf } from '../../../shared/http/serve/body-limits.ts';
import { everyOperation, type Registered } from '../../contract/generated/described.ts';
import { createGround } from '../../contract/generated/ground.ts';
import { rounded } from '../load.ts';
import { longestBlock } from './blocks.ts';
import { type BodyCase, casesOf } from './cases.ts';
import { onBodiesPortal, type Sent } from './portal.ts';
import { measureProvisioning, type ProvisioningFigures } from './provisioning.ts';

export type BodiesEffort = {
  /** Bodies of each operation, at most. */
  cases: number;
  /** How often the worst ones are repeated; the shortest block of each counts, because other programs only add time. */
  repeats: number;
  /** Members of the largest group of provisioning, and steps of the search for the worst change of a user. */
  members: number;
  climbs: number;
};

type BodyFigure = {
  operation: string;
  /** The worst body, its bytes, and the status of its answer. */
  body: string;
  bytes: number;
  status: number;
  /** Longest time for which the request blocked the event loop. */
  block_ms: number;
  /** `JSON.parse` of the same text. */
  floor_ms: number;
};

export type BodiesFigures = {
  operations: BodyFigure[];
  worst_ms: number;
  provisioning: ProvisioningFigures;
};

/** The settings of the last one would affect the others. */
const withBody = everyOperation
  // Those of SCIM have limits of their own. Forms have the same as bodies in JSON.
  .filter(({ body, form, protocol }) => body && form !== true && protocol === undefined)
  .toSorted(
    (a, b) => Number(a.id === 'systemParameters.replace') - Number(b.id === 'systemParameters.replace'),
  );

/** Sends each operation the worst bodies within its limits, in this process, and measures how long they block it. */
export const measureBodies = (effort: BodiesEffort): Promise<BodiesFigures> =>
  onBodiesPortal(async (sent) => {
    const { send, newToken, db } = sent;
    const provisioning = await measureProvisioning({ send, db, token: await newToken() }, effort);
    const operations: BodyFigure[] = [];
    for (const operation of withBody) operations.push(await measure(sent, operation, effort));
    operations.sort((a, b) => b.block_ms - a.block_ms);
    return { operations, worst_ms: operations[0]?.block_ms ?? 0, provisioning };
  });

async function measure(
  sent: Sent,
  operation: Registered,
  { cases: most, repeats }: BodiesEffort,
): Promise<BodyFigure> {
  const token = await sent.newToken();
  const ground = await createGround(sent, token).of(operation);
  const send = async ({ name, write }: BodyCase): Promise<Sample> => {
    const text = write();
    const headers = sent.credentials.of(operation);
    const request = () => sent.send(`${operation.method} ${ground.path}`, { token, headers, body: text });
    const { block, result } = await longestBlock(request);
    if (result.status === 200) await sent.credentials.renew(operation);
    return { name, block, status: result.status, bytes: Buffer.byteLength(text), floor: floorOf(text) };
  };
  const all = [...casesOf(operation, ground.body ?? {}, bodyLimitOf(operation))];
  const some = all.filter((_, at) => at % Math.ceil(all.length / most) === 0);
  const first: (Sample & { again: () => Promise<Sample> })[] = [];
  for (const one of some) first.push({ ...(await send(one)), again: () => send(one) });
  const slowest = first.toSorted((a, b) => b.block - a.block).slice(0, 4);
  const typical: Sample[] = [];
  for (const { again } of slowest) typical.push(await least(again, repeats));
  const { name, block, floor, ...worst } = typical.reduce((a, b) => (b.block > a.block ? b : a));
  return {
    operation: operation.id,
    body: name,
    ...worst,
    block_ms: rounded(block, 2),
    floor_ms: rounded(floor, 2),
  };
}

type Sample = { name: string; block: number; floor: number; status: number; bytes: number };

/** The minimum of several: other programs on the machine only add time. */
async function least(sample: () => Promise<Sample>, repeats: number): Promise<Sample> {
  const samples: Sample[] = [];
  while (samples.length < repeats) samples.push(await sample());
  const [best] = samples.toSorted((a, b) => a.block - b.block);
  if (!best) throw new Error('nothing was repeated');
  return { ...best, floor: Math.min(...samples.map(({ floor }) => floor)) };
}

function floorOf(text: string): number {
  const started = performance.now();
  JSON.parse(text);
  return performance.now() - started;
}
