import type { Leases } from '../leases.ts'

/** One process has the database, so it has every lease for as long as it wants. */
export const LEASES_OF_ONE: Leases = {
  acquire: async (_name, signal) =>
    signal.aborted
      ? undefined
      : { lost: new AbortController().signal, [Symbol.asyncDispose]: async () => undefined },
}
