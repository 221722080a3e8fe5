import { type Audience, DEFAULT_SPACE, type Destination, type Source } from '@hookline/protocol'
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

/** An enabled audience of users whose trait `plan` is `pro`. It sends changes to `dst_a`. */
export const newAudience = (change: Partial<Audience> = {}): Audience => ({
  id: 'aud_a',
  kind: 'audience',
  space: DEFAULT_SPACE,
  name: 'Big spenders',
  key: 'big_spenders',
  destinationIds: ['dst_a'],
  enabled: true,
  condition: { trait: 'plan', op: 'equals', value: 'pro' },
  ...first,
  ...change,
})
