/**
 * Environment variables that programs started by tests inherit: the search path, and the compile cache of Node,
 * without which each start compiles hundreds of modules again.
 */
export const programVariables = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
