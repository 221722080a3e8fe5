import { EXIT_CODES } from '../exit-codes.ts'

/** A Ctrl-C reaches a program that npm runs twice: from the terminal, and passed on by npm. */
const ONE_KEYPRESS_MS = 500

export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Resolves with the first SIGINT or SIGTERM. A second one ends the process at once. */
export function stopSignal(): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>()
  let first: { readonly signal: StopSignal; readonly at: number } | undefined
  const take = (signal: StopSignal) => {
    const at = performance.now()
    if (first === undefined) {
      first = { signal, at }
      resolve(signal)
    } else if (signal !== first.signal || at - first.at > ONE_KEYPRESS_MS) {
      process.exit(EXIT_CODES.interrupted)
    }
  }
  process.on('SIGINT', take)
  process.on('SIGTERM', take)
  return promise
}
