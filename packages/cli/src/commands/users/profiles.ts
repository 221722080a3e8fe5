import type { Profile } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { type Detail, details } from '../../output/details.ts'
import { countText, formatCount } from '../../output/figures.ts'
import { showList } from '../../output/list.ts'
import type { Output } from '../../output/output.ts'
import { type Column, table } from '../../output/table.ts'
import type { ApiCommand, Context } from '../api-command.ts'

const SPACE = ['--space <space>', 'space that contains the profiles (default: "default")'] as const

export function addProfiles(program: ApiCommand): void {
  const profiles = program
    .command('profiles')
    .alias('users')
    .description('list, find and show user profiles (alias: `users`)')

  profiles
    .api('list', 'list the profiles in a space')
    .paged('long')
    .option('--largest', 'show the profiles with the most ids, on one page')
    .option(...SPACE)
    .run(showProfiles)

  profiles
    .api('find [text]', 'find profiles by userId prefix, anonymousId or email address')
    .paged('long')
    .option('--trait <name=value>', 'find by trait, such as plan=pro')
    .option(...SPACE)
    .run((context, text: string | undefined, options: ListOptions) => {
      if ((text === undefined) === (options.trait === undefined))
        throw new Failure('usage', 'Pass a search text, or --trait name=value.')
      return showProfiles(context, { ...options, ...(text !== undefined && { text }) })
    })

  profiles
    .api('get <userId>', 'show a profile')
    .option(...SPACE)
    .run(async ({ api, output }, userId: string, { space }: { space?: string }) => {
      const profile = await api.findProfile(userId, definedFields({ space }))
      output.data(profile, () => profileText(output, profile))
    })
}

interface ListOptions extends ListPart {
  readonly text?: string
  readonly trait?: string
  readonly space?: string
  readonly largest?: boolean
}

type ProfilePage = Awaited<ReturnType<ManagementApi['listProfiles']>>

async function showProfiles(
  { api, output }: Context,
  { text, trait, space, largest, ...part }: ListOptions,
): Promise<void> {
  const named = trait === undefined ? {} : traitIn(trait)
  let indexed: number | undefined
  const page = await listPart(async ({ limit, cursor }) => {
    const order = largest === true ? 'largest' : undefined
    const query = { search: text, space, order, limit: String(limit), cursor, ...named }
    // The generated client has no parameters for traits.
    const response = await api.stream(
      `profiles?${new URLSearchParams(definedFields(query)).toString()}`,
    )
    const found = (await response.json()) as ProfilePage
    indexed = found.indexed
    return found
  }, part)
  showList(output, PROFILES, page, 'No matching profiles.')
  if (indexed !== undefined)
    output.note(
      `The results are incomplete: ${Math.round(indexed * 100)}% of the profiles are indexed.`,
    )
}

function traitIn(text: string): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1)
    throw new Failure('usage', '--trait must have the format name=value, such as plan=pro.')
  return { [`trait.${text.slice(0, at)}`]: text.slice(at + 1) }
}

const PROFILES: readonly Column<ProfilePage['data'][number]>[] = [
  { head: 'user', cell: ({ userIds }) => userIds.join(' ') || 'none yet', long: 'cut' },
  { head: 'email', cell: ({ traits }) => textOf(traits['email']), long: 'cut' },
  { head: 'name', cell: ({ traits }) => textOf(traits['name']), long: 'cut', rank: 1 },
  { head: 'last seen', cell: ({ lastSeenAt }) => lastSeenAt ?? 'never', isTime: true },
  {
    head: 'anonymous ids',
    cell: ({ anonymousIds }) => anonymousIds.join(' '),
    long: 'cut',
    rank: 2,
  },
]

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function profileText(output: Output, profile: Profile): string {
  const { userIds, anonymousIds, space, firstSeenAt, lastSeenAt, counts } = profile
  const events = Object.entries(counts).map(([type, count]) => `${formatCount(count)} ${type}`)
  const facts = details(output, [
    ['user', userIds.join(' ') || 'none yet'],
    ['anonymous ids', anonymousIds.join(' ') || 'none'],
    ['space', space],
    ['first seen', firstSeenAt === null ? 'never' : output.time(firstSeenAt)],
    ['last seen', lastSeenAt === null ? 'never' : output.time(lastSeenAt)],
    ['events', events.join(', ') || 'none'],
    ...refusals(profile),
  ])
  return [facts, ...sections(output, profile)].join('\n\n')
}

/** Ids that were not linked. */
function refusals({ unlinkedIds }: Profile): (Detail | false)[] {
  const { otherUser, limit, placeholders } = unlinkedIds
  const idsIn = ({ count, links }: typeof limit): string => {
    const more = count - links.length
    const ids = links.map(({ id }) => id).join(' ')
    return more > 0 ? `${ids} and ${formatCount(more)} more` : ids
  }
  return [
    otherUser.count > 0 && ['linked to another user', idsIn(otherUser)],
    limit.count > 0 && ['over the limit', idsIn(limit)],
    placeholders > 0 && [
      'placeholders',
      `${countText(placeholders, 'call')} had a placeholder id, such as undefined`,
    ],
  ]
}

function sections(output: Output, profile: Profile): string[] {
  const { links, traits, computedTraits, audiences } = profile
  const rows = Object.entries(traits)
  return [
    ...(links.length === 0 ? [] : [table(output, LINKS, links)]),
    ...(rows.length === 0 ? [] : [table(output, TRAITS, rows)]),
    ...(computedTraits.length === 0 ? [] : [table(output, COMPUTED, computedTraits)]),
    ...(audiences.length === 0 ? [] : [table(output, AUDIENCES, audiences)]),
  ]
}

const LINKS: readonly Column<Profile['links'][number]>[] = [
  { head: 'linked id', cell: ({ id }) => id, long: 'cut' },
  { head: 'type', cell: ({ kind }) => (kind === 'user' ? 'userId' : 'anonymousId') },
  { head: 'user', cell: ({ userId }) => userId, long: 'cut' },
  { head: 'since', cell: ({ at }) => at, isTime: true },
  { head: 'event', cell: ({ eventId }) => eventId, rank: 1 },
]

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
