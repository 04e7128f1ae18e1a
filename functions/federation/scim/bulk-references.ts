import { scimError } from '../../../shared/identity/scim/errors.ts';
import { isObject } from '../../../shared/kernel/json/json.ts';
import { message } from '../../../shared/messages/message.ts';

export type BulkOperation = {
  method: string;
  path: string;
  bulkId?: string | null | undefined;
  version?: string | null | undefined;
  data?: Record<string, unknown> | null | undefined;
};

/** `uses` has the references of the operation. They are looked for when its turn comes, because its body can be large. */
type Pending = { operation: BulkOperation; uses?: Set<string> };

const mark = 'bulkId:';

/** The references between the operations of a bulk request (RFC 7644, 3.7.2). */
export class BulkReferences {
  readonly #created = new Map<string, string>();
  readonly #awaited: Set<string>;
  #pending: Pending[];

  constructor(operations: readonly BulkOperation[]) {
    this.#pending = operations.map((operation) => ({ operation }));
    this.#awaited = new Set(operations.flatMap(({ bulkId }) => bulkId ?? []));
  }

  /**
   * Takes the first operation whose references are resolved, or refer to no operation. If no operation qualifies, the others fail.
   * @returns undefined if no operation is left
   */
  take(): { operation: BulkOperation; isBlocked: boolean } | undefined {
    const isReady = (one: Pending): boolean => {
      const uses = one.uses ?? usedBy(one.operation);
      one.uses = uses;
      return [...uses].every((id) => this.#created.has(id) || !this.#awaited.has(id));
    };
    const next = this.#pending.find(isReady) ?? this.#pending[0];
    if (!next) return undefined;
    this.#pending = this.#pending.filter((other) => other !== next);
    return { operation: next.operation, isBlocked: !isReady(next) };
  }

  /** Notes the identifier of the resource that an operation has created. */
  note({ bulkId }: BulkOperation, id: string): void {
    if (bulkId) this.#created.set(bulkId, id);
  }

  /** @throws AppError `invalid_request` for a reference to no operation */
  resolved(text: string): string {
    if (!text.startsWith(mark)) return text;
    const id = text.slice(mark.length);
    const created = this.#created.get(id);
    if (created === undefined)
      throw scimError(
        'invalidValue',
        message('The operation refers to `bulkId:{id}`, which no operation creates', { id }),
      );
    return created;
  }

  /** The value with identifiers in place of references. */
  resolvedIn(value: unknown): unknown {
    if (typeof value === 'string') return this.resolved(value);
    if (Array.isArray(value)) return value.map((one) => this.resolvedIn(one));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.resolvedIn(inner)]));
  }
}

function usedBy({ path, data }: BulkOperation): Set<string> {
  const used = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.startsWith(mark)) used.add(value.slice(mark.length));
    else if (Array.isArray(value)) value.forEach(collect);
    else if (isObject(value)) Object.values(value).forEach(collect);
  };
  path.split('/').forEach(collect);
  collect(data);
  return used;
}
