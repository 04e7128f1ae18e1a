/** Counts of one function, as V8 reports them. Offsets are those of the script. */
export type FunctionCounts = {
  functionName: string;
  ranges: readonly { startOffset: number; endOffset: number; count: number }[];
};

/** Functions that were called, without the module itself and the wrapper around it, which end where the script ends. */
export function calledIn(functions: readonly FunctionCounts[]): FunctionCounts[] {
  const end = functions[0]?.ranges[0]?.endOffset;
  return functions.filter(({ ranges: [whole] }) => whole && whole.count > 0 && whole.endOffset !== end);
}

export const isExecuted = (functions: readonly FunctionCounts[]): boolean => calledIn(functions).length > 0;
