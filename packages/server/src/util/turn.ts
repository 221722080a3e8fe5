/** Resolves in the next turn of the event loop: whatever waits goes first. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
