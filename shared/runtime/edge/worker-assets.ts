import type { Assets } from '../../http/pages/assets.ts';

/** The used part of a static-assets binding. */
type Binding = { fetch(address: string): Promise<Response> };

const isBinding = (value: unknown): value is Binding =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';

/** Static assets of the Worker; not accessible over HTTP. */
export const assetsOf = (binding: unknown): Assets => ({
  text: async (name) => (await assetOf(binding, name)).text(),
  bytes: async (name) => new Uint8Array(await (await assetOf(binding, name)).arrayBuffer()),
});

async function assetOf(binding: unknown, name: string): Promise<Response> {
  if (!isBinding(binding)) throw new Error('the Worker has no binding ASSETS');
  const answer = await binding.fetch(`https://assets.invalid/${name}`);
  if (!answer.ok) throw new Error(`the asset ${name} does not exist: ${answer.status}`);
  return answer;
}
