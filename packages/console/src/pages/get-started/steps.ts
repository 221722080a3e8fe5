import type { Destination, Source } from '@hookline/cli/management-client'

export type StepState = 'done' | 'current' | 'later'

/** What exists of what a first delivery needs. */
export interface Progress {
  readonly source: Source | undefined
  readonly destination: Destination | undefined
  /** Whether an event of the source has arrived. */
  readonly hasEvent: boolean
  /** Whether its receiver has accepted a signed delivery of it. */
  readonly isDelivered: boolean
}

/** The states of the steps: each is done, the first that is not is current, and the others wait for it. */
export function stepStates({ source, destination, hasEvent, isDelivered }: Progress): StepState[] {
  const done = [
    source !== undefined,
    destination !== undefined,
    hasEvent && destination !== undefined,
    isDelivered,
  ]
  const current = done.indexOf(false)
  return done.map((isDone, index) => (isDone ? 'done' : index === current ? 'current' : 'later'))
}

/** A source that can take calls; the newest one. */
export function usableSource(
  sources: readonly Source[],
  id: string | undefined,
): Source | undefined {
  const usable = sources.filter(({ enabled, writeKeys }) => enabled && writeKeys.length > 0)
  return usable.find((each) => each.id === id) ?? usable[0]
}

/** A destination of the source that gets its events; the newest one. */
export function usableDestination(
  destinations: readonly Destination[],
  source: Source | undefined,
): Destination | undefined {
  return destinations.find(
    ({ sourceId, enabled, settings }) =>
      sourceId === source?.id && enabled && settings.webhooks.length > 0,
  )
}

/** Whether its requests are signed. */
export function hasSecret(destination: Destination | undefined): boolean {
  return destination?.settings.sharedSecret.set === true
}
