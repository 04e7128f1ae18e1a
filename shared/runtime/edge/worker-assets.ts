import type { Assets } from '../../http/pages/assets.ts';

/** The part of a binding to static assets that is used. */
type Binding = { fetch(address: string): Promise<Response> };

const isBinding = (value: unknown): value is Binding =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function';

/** Assets that were uploaded with the Worker; only the Worker reads them. */
export const assetsOf = (binding: unknown): Assets => ({
  text: async (name) => {
    if (!isBinding(binding)) throw new Error('the Worker has no binding ASSETS');
    const answer = await binding.fetch(`https://assets.invalid/${name}`);
    if (!answer.ok) throw new Error(`there is no asset ${name}: ${answer.status}`);
    return answer.text();
  },
});
