import type { z } from 'zod';

/** Where a variable has an effect. `tooling`: the commands `npm run admin`, `db:migrate`, `deploy` and `workers`. */
export type Scope = 'portal' | 'sidecar' | 'workers' | 'lambda' | 'tooling';

/** One environment variable. The description is part of the schema, so bundles do not contain it. */
export type Declaration = {
  schema: z.ZodType;
  scope: readonly Scope[];
  /** A computed default, as text. A constant default is part of the schema. */
  computed?: string;
  isSecret?: true;
  /** `path`: the path of a file. `pem`: PEM text or the path of a PEM file. */
  holds?: 'path' | 'pem';
  /** Used by local stands only and not documented. */
  isInternal?: true;
};

export type Declarations = Readonly<Record<string, Declaration>>;

export const node = ['portal', 'sidecar'] as const;
export const onNode = [...node, 'tooling'] as const;
export const answers = ['portal', 'workers', 'lambda', 'tooling'] as const;
export const everywhere = ['portal', 'sidecar', 'workers', 'lambda', 'tooling'] as const;
