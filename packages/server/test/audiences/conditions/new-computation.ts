import {
  type Audience,
  type Computation,
  type ComputedTrait,
  DEFAULT_SPACE,
} from '@hookline/protocol'
import { NOON } from '@hookline/testing/records/accepted-event'

const record = {
  space: DEFAULT_SPACE,
  destinationIds: [],
  enabled: true,
  createdAt: NOON,
  updatedAt: NOON,
  version: 1,
}

/** The id of an audience, from one letter. */
export const audienceId = (letter: string): string => `aud_0${letter.repeat(25)}`

/** An audience with an id, name and key from one letter. */
export const newAudience = (letter: string, change: Partial<Audience> = {}): Audience => ({
  ...record,
  id: audienceId(letter),
  kind: 'audience',
  name: letter.toUpperCase(),
  key: letter,
  condition: { trait: 'plan', op: 'exists' },
  ...change,
})

/** A computed trait that counts orders, with an id, name and key from one letter. */
export const newTrait = (letter: string, change: Partial<ComputedTrait> = {}): ComputedTrait => ({
  ...record,
  id: `trt_0${letter.repeat(25)}`,
  kind: 'trait',
  name: letter.toUpperCase(),
  key: letter,
  compute: { fn: 'count', event: 'Order Completed' },
  ...change,
})

/** The computations by id, as in the catalog. */
export const byId = (...computations: readonly Computation[]): ReadonlyMap<string, Computation> =>
  new Map(computations.map((each) => [each.id, each]))
