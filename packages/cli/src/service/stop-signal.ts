import { EXIT_CODES } from '../failure.ts'

/** One Ctrl-C can arrive twice: from the terminal and from npm. */
const ONE_KEYPRESS_MS = 500

export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Resolves with the first SIGINT or SIGTERM. A second one exits immediately. */
export function stopSignal(): Promise<StopSignal> {
  const { promise, resolve } = Promise.withResolvers<StopSignal>()
  let first: { readonly signal: StopSignal; readonly at: number } | undefined
  const receive = (signal: StopSignal) => {
    const at = performance.now()
    if (first === undefined) {
      first = { signal, at }
      resolve(signal)
    } else if (signal !== first.signal || at - first.at > ONE_KEYPRESS_MS) {
      process.exit(EXIT_CODES.interrupted)
    }
  }
  process.on('SIGINT', receive)
  process.on('SIGTERM', receive)
  return promise
}
