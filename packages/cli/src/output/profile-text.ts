import type { Profile } from '../api/generated/management-client.ts'
import { grouped } from './figures.ts'
import type { Output } from './output.ts'
import { details, table } from './table.ts'

/** Everything that is known of a user, for people. */
export function profileText(output: Output, profile: Profile): string {
  const { userIds, anonymousIds, space, firstSeenAt, lastSeenAt, counts } = profile
  const events = Object.entries(counts).map(([type, count]) => `${grouped(count)} ${type}`)
  const facts = details(output, [
    ['user', userIds.join(' ') || 'none yet'],
    ['anonymous ids', anonymousIds.join(' ') || 'none'],
    ['space', space],
    ['first seen', firstSeenAt ?? 'never'],
    ['last seen', lastSeenAt ?? 'never'],
    ['events', events.join(', ') || 'none'],
  ])
  return [facts, ...sections(output, profile)].join('\n\n')
}

function sections(output: Output, { traits, computedTraits, audiences }: Profile): string[] {
  const rows = Object.entries(traits)
  type Trait = (typeof rows)[number]
  return [
    ...(rows.length === 0
      ? []
      : [
          table(
            output,
            [
              { head: 'trait', cell: ([name]: Trait) => name },
              { head: 'value', cell: ([, { value }]: Trait) => JSON.stringify(value) },
              { head: 'set at', cell: ([, { at }]: Trait) => at },
              { head: 'source', cell: ([, { sourceId }]: Trait) => sourceId },
              { head: 'event', cell: ([, { eventId }]: Trait) => eventId },
            ],
            rows,
          ),
        ]),
    ...(computedTraits.length === 0 ? [] : [table(output, COMPUTED, computedTraits)]),
    ...(audiences.length === 0 ? [] : [table(output, AUDIENCES, audiences)]),
  ]
}

type ComputedValue = Profile['computedTraits'][number]
type Membership = Profile['audiences'][number]

const COMPUTED = [
  { head: 'computed trait', cell: ({ key }: ComputedValue) => key },
  { head: 'value', cell: ({ value }: ComputedValue) => JSON.stringify(value) },
  { head: 'since', cell: ({ since }: ComputedValue) => since },
]

const AUDIENCES = [
  { head: 'audience', cell: ({ name }: Membership) => name },
  { head: 'id', cell: ({ id }: Membership) => id },
  { head: 'since', cell: ({ since }: Membership) => since },
]
