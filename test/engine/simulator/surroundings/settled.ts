/** Resolves when everything that this moment set off has happened: a simulated engine waits for nothing but its clock. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
