import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { definedFields } from '../../api/management-api.ts'
import { type Output, outputOf } from '../../output/output.ts'
import type { Profile } from '../../api/generated/management-client.ts'
import { grouped } from '../../output/figures.ts'
import { details } from '../../output/details.ts'
import { type Column, table } from '../../output/table.ts'

/** `hookline profiles …` */
export function addProfiles(program: Command): void {
  const profiles = program.command('profiles').description('what is known of users')

  withApiOptions(profiles.command('get <userId>'))
    .description('show the traits, computed traits, audiences and events of a user')
    .option('--space <space>', 'space of the user; the default is default')
    .action(async (userId: string, { space }: { space?: string }, command: Command) => {
      const profile = await apiOf(command).findProfile(userId, definedFields({ space }))
      const output = outputOf(command)
      output.data(profile, () => profileText(output, profile))
    })
}

/** Everything that is known of a user, for people. */
function profileText(output: Output, profile: Profile): string {
  const { userIds, anonymousIds, space, firstSeenAt, lastSeenAt, counts } = profile
  const events = Object.entries(counts).map(([type, count]) => `${grouped(count)} ${type}`)
  const facts = details(output, [
    ['user', userIds.join(' ') || 'none yet'],
    ['anonymous ids', anonymousIds.join(' ') || 'none'],
    ['space', space],
    ['first seen', firstSeenAt === null ? 'never' : output.time(firstSeenAt)],
    ['last seen', lastSeenAt === null ? 'never' : output.time(lastSeenAt)],
    ['events', events.join(', ') || 'none'],
  ])
  return [facts, ...sections(output, profile)].join('\n\n')
}

function sections(output: Output, { traits, computedTraits, audiences }: Profile): string[] {
  const rows = Object.entries(traits)
  return [
    ...(rows.length === 0 ? [] : [table(output, TRAITS, rows)]),
    ...(computedTraits.length === 0 ? [] : [table(output, COMPUTED, computedTraits)]),
    ...(audiences.length === 0 ? [] : [table(output, AUDIENCES, audiences)]),
  ]
}

const TRAITS: readonly Column<[string, Profile['traits'][string]]>[] = [
  { head: 'trait', cell: ([name]) => name, long: 'cut' },
  { head: 'value', cell: ([, { value }]) => JSON.stringify(value), long: 'wrap' },
  { head: 'set at', cell: ([, { at }]) => at, isTime: true },
  { head: 'source', cell: ([, { sourceId }]) => sourceId, rank: 2 },
  { head: 'event', cell: ([, { eventId }]) => eventId, rank: 1 },
]

const COMPUTED: readonly Column<Profile['computedTraits'][number]>[] = [
  { head: 'computed trait', cell: ({ key }) => key, long: 'cut' },
  { head: 'value', cell: ({ value }) => JSON.stringify(value), long: 'wrap' },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]

const AUDIENCES: readonly Column<Profile['audiences'][number]>[] = [
  { head: 'audience', cell: ({ name }) => name, long: 'cut' },
  { head: 'id', cell: ({ id }) => id },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]
