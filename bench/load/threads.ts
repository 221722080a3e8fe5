import { SETTINGS } from '@hookline/server/settings'

/** The number of threads of each kind. For 0, the main thread does their work. */
export interface Threads {
  readonly ingest: number
  readonly delivery: number
}

const VARIABLES = {
  ingestThreads: 'HOOKLINE_INGEST_THREADS',
  deliveryThreads: 'HOOKLINE_DELIVERY_THREADS',
} as const

/** Whether the service has a setting for threads of a kind. */
export function hasThreads(kind: keyof Threads): boolean {
  return `${kind}Threads` in SETTINGS
}

/** The environment variables for these threads, if the service has settings for them. */
export function environmentOf(threads: Threads): Readonly<Record<string, string>> {
  const kinds = (['ingest', 'delivery'] as const).filter(hasThreads)
  return Object.fromEntries(
    kinds.map((kind) => [VARIABLES[`${kind}Threads`], String(threads[kind])]),
  )
}

/** Only the variables for threads, because no others may affect a benchmark. */
export function threadVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const set = Object.values(VARIABLES).flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(set) as Record<string, string>
}
