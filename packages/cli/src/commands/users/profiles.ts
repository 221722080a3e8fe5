import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields, type ManagementApi } from '../../api/management-api.ts'
import { Failure } from '../../failure.ts'
import { withLongListOptions } from '../../options/list-options.ts'
import { type Output, outputOf } from '../../output/output.ts'
import type { Profile } from '../../api/generated/management-client.ts'
import { grouped } from '../../output/figures.ts'
import { details } from '../../output/details.ts'
import { showList } from '../../output/list.ts'
import { type Column, table } from '../../output/table.ts'

/** `hookline profiles …` */
export function addProfiles(program: Command): void {
  const profiles = program.command('profiles').description('what is known of users')

  withLongListOptions(withApiOptions(profiles.command('list')))
    .description('list the profiles of a space')
    .option('--largest', 'those with the most ids first, on one page')
    .option('--space <space>', 'space of the profiles; the default is default')
    .action((options: ListOptions, command: Command) => showProfiles(command, options))

  withLongListOptions(withApiOptions(profiles.command('find [text]')))
    .description('find profiles by the beginning of a userId, an anonymousId or an e-mail address')
    .option('--trait <name=value>', 'find those with this value of a trait, such as plan=pro')
    .option('--space <space>', 'space of the profiles; the default is default')
    .action((text: string | undefined, options: ListOptions, command: Command) => {
      if ((text === undefined) === (options.trait === undefined))
        throw new Failure('usage', 'Give a text, or --trait name=value.')
      return showProfiles(command, { ...options, ...(text !== undefined && { text }) })
    })

  withApiOptions(profiles.command('get <userId>'))
    .description('show the traits, computed traits, audiences and events of a user')
    .option('--space <space>', 'space of the user; the default is default')
    .action(async (userId: string, { space }: { space?: string }, command: Command) => {
      const profile = await apiOf(command).findProfile(userId, definedFields({ space }))
      const output = outputOf(command)
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
  command: Command,
  { text, trait, space, largest, ...part }: ListOptions,
): Promise<void> {
  const [api, output] = [apiOf(command), outputOf(command)]
  const named = trait === undefined ? {} : traitIn(trait)
  let indexed: number | undefined
  const page = await listPart(async ({ limit, cursor }) => {
    const order = largest === true ? 'largest' : undefined
    const query = { search: text, space, order, limit: String(limit), cursor, ...named }
    // The generated client knows no parameters whose names begin with trait.
    const response = await api.stream(
      `profiles?${new URLSearchParams(definedFields(query)).toString()}`,
    )
    const found = (await response.json()) as ProfilePage
    indexed = found.indexed
    return found
  }, part)
  showList(output, PROFILES, page, 'No profile was found.')
  if (indexed !== undefined)
    output.note(
      `The index is being made: ${Math.round(indexed * 100)} % of the profiles were looked at. Try again in a moment.`,
    )
}

function traitIn(text: string): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new Failure('usage', '--trait needs name=value, such as plan=pro.')
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
    ...refusals(profile),
  ])
  return [facts, ...sections(output, profile)].join('\n\n')
}

/** The ids that are not linked, and why. */
function refusals({ refusedLinks }: Profile): [string, string][] {
  const { otherUser, limit, placeholders } = refusedLinks
  const idsIn = ({ count, links }: typeof limit): string => {
    const more = count - links.length
    return [...links.map(({ id }) => id), ...(more > 0 ? [`and ${grouped(more)} more`] : [])].join(
      ' ',
    )
  }
  return [
    ...(otherUser.count > 0 ? [['of another user', idsIn(otherUser)] as [string, string]] : []),
    ...(limit.count > 0 ? [['over the limit', idsIn(limit)] as [string, string]] : []),
    ...(placeholders > 0
      ? [
          ['placeholders', `${grouped(placeholders)} calls had an id such as undefined`] as [
            string,
            string,
          ],
        ]
      : []),
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
  { head: 'is', cell: ({ kind }) => (kind === 'user' ? 'a userId' : 'an anonymousId') },
  { head: 'of user', cell: ({ userId }) => userId, long: 'cut' },
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
