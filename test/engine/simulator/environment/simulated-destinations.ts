import type { Destination } from '@hookline/protocol'
import { newDestination } from '@hookline/testing/records/catalog-records'
import type { Scenario } from '../scenario.ts'
import type { ReceiverBehaviour } from './receiver-behaviour.ts'

/** The destinations of a scenario, and the behaviour of their receivers by URL. */
export function destinationsOf(scenario: Pick<Scenario, 'destinations'>): {
  readonly destinations: readonly Destination[]
  readonly behaviours: ReadonlyMap<string, ReceiverBehaviour>
} {
  const behaviours = new Map<string, ReceiverBehaviour>()
  const destinations = scenario.destinations.map(({ webhooks, successPolicy }, index) => {
    const id = `dst_${index}`
    const urls = webhooks.map((behaviour, place) => {
      const url = `https://${id}.example/${place}`
      behaviours.set(url, behaviour)
      return url
    })
    return destinationOf(id, urls, successPolicy)
  })
  return { destinations, behaviours }
}

/** The destination with this webhook. */
export function destinationIdOf(url: string): string {
  return new URL(url).hostname.replace('.example', '')
}

export function destinationOf(
  id: string,
  urls: readonly string[],
  successPolicy: 'any' | 'each',
): Destination {
  const webhooks = urls.map((url) => ({ url, headers: {} }))
  return newDestination({ id, name: id, settings: { webhooks, successPolicy } })
}

const PAUSED = { since: 0, reason: 'operator' } as const

export type DestinationChange = (destination: Destination) => Partial<Destination>

/** The ways to turn a destination off. */
export const TURNED_OFF: Readonly<
  Record<'disabled' | 'paused' | 'first webhook paused', DestinationChange>
> = {
  disabled: () => ({ enabled: false }),
  paused: () => ({ paused: PAUSED }),
  'first webhook paused': ({ settings }) => ({
    settings: {
      ...settings,
      webhooks: settings.webhooks.map((webhook, index) =>
        index === 0 ? { ...webhook, paused: PAUSED } : webhook,
      ),
    },
  }),
}

/** Enables the destination, and resumes it and all of its webhooks. */
export const turnedOn: DestinationChange = ({ settings }) => ({
  enabled: true,
  paused: null,
  settings: {
    ...settings,
    webhooks: settings.webhooks.map(({ paused: _, ...webhook }) => webhook),
  },
})
