/**
 * Ends a program when npm has ended: npm does not forward signals, so `npm start & kill $!` would leave the program
 * running with its ports. Must only import what Node 20 has.
 */
const intervalMs = 250;

/**
 * Calls `end` when the parent process has ended, if npm is the parent.
 * @param {() => void} end
 */
export function endWithNpm(end) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watching = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watching);
    end();
  }, intervalMs).unref();
}
