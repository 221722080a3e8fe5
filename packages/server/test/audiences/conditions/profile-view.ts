import type { Json } from '@hookline/protocol'
import type { ProfileView } from '../../../src/audiences/conditions/evaluate.ts'
import type { Fact } from '../../../src/backend/profiles.ts'

/** An empty profile with these fields. */
export const profileView = (change: Partial<ProfileView> = {}): ProfileView => ({
  traits: {},
  facts: new Map(),
  results: new Map(),
  manual: new Set(),
  ...change,
})

/** Facts at these times, newest first, as in a profile. */
export const factsAt = (...times: readonly number[]): readonly Fact[] =>
  inOrder(times.map((at, position) => ({ at, position, value: null })))

/** Facts with these values, one millisecond apart starting at `from`, newest first. */
export const factsWith = (values: readonly Json[], from: number): readonly Fact[] =>
  inOrder(values.map((value, position) => ({ at: from + position, position, value })))

function inOrder(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted((a, b) => b.at - a.at || b.position - a.position)
}
