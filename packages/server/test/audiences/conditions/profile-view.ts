import type { Json } from '@hookline/protocol'
import type { ProfileView } from '../../../src/audiences/conditions/evaluate.ts'
import type { Fact } from '../../../src/backend/profiles.ts'

/** A profile that has nothing but what is given. */
export const profileView = (change: Partial<ProfileView> = {}): ProfileView => ({
  traits: {},
  facts: new Map(),
  results: new Map(),
  manual: new Set(),
  ...change,
})

/** Facts at these times, in the order in which profiles have them: the newest first. */
export const factsAt = (...times: readonly number[]): readonly Fact[] =>
  inOrder(times.map((at, position) => ({ at, position, value: null })))

/** Facts with these values, one millisecond after another from `from` on, and newest first. */
export const factsWith = (values: readonly Json[], from: number): readonly Fact[] =>
  inOrder(values.map((value, position) => ({ at: from + position, position, value })))

function inOrder(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted((a, b) => b.at - a.at || b.position - a.position)
}
