import { SETTINGS } from '@hookline/server/settings'

/** How many threads of each kind a service has. 0: the main thread does their work. */
export interface Threads {
  readonly ingest: number
  readonly delivery: number
}

const VARIABLES = {
  ingestThreads: 'HOOKLINE_INGEST_THREADS',
  deliveryThreads: 'HOOKLINE_DELIVERY_THREADS',
} as const

/** Whether this service can have such threads. */
export const HAS_THREADS = Object.keys(VARIABLES).every((setting) => setting in SETTINGS)

/** The variables of the environment that set these threads; none if the service has no such settings. */
export function environmentOf({ ingest, delivery }: Threads): Readonly<Record<string, string>> {
  if (!HAS_THREADS) return {}
  return {
    [VARIABLES.ingestThreads]: String(ingest),
    [VARIABLES.deliveryThreads]: String(delivery),
  }
}

/** Only these variables of an environment: no other may change a benchmark. */
export function threadVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const set = Object.values(VARIABLES).flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(set) as Record<string, string>
}
