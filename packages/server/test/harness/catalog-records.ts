import type { Destination, Source } from '@hookline/protocol'
import { NOON } from './accepted-event.ts'

const first = { createdAt: NOON, updatedAt: NOON, version: 1 }

/** An enabled source without write keys. */
export const newSource = (change: Partial<Source> = {}): Source => ({
  id: 'src_a',
  name: 'Web',
  enabled: true,
  rateLimit: null,
  writeKeys: [],
  ...first,
  ...change,
})

/** An enabled destination of `src_a` with one webhook. `settings` replaces some of its settings. */
export const newDestination = ({
  settings,
  ...change
}: Partial<Omit<Destination, 'settings'>> & {
  readonly settings?: Partial<Destination['settings']>
} = {}): Destination => ({
  id: 'dst_a',
  sourceId: 'src_a',
  type: 'Webhooks',
  name: 'CRM',
  enabled: true,
  paused: null,
  settings: {
    sharedSecret: null,
    webhooks: [{ url: 'https://example.com/', headers: {} }],
    successPolicy: 'any',
    ...settings,
  },
  ...first,
  ...change,
})
