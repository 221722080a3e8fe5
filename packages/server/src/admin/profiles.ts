import { type Computation, DEFAULT_SPACE, EVENT_TYPES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import {
  type Link,
  type Profile,
  type Profiles,
  type ProfileSummary,
  TooManyTraitIndexes,
} from '../backend/profiles.ts'
import type { Clock } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { Problem } from './problems/problem.ts'

const ids = Type.Array(Type.String())
const anything = Type.Unsafe({ description: 'Any JSON.' })
const link = Type.Object({
  kind: Schema.oneOf(['user', 'anonymous'], 'What id is: a userId or an anonymousId.'),
  id: Type.String(),
  userId: Schema.text('The user whose call named the id.'),
  at: Schema.time,
  eventId: Type.String(),
  sourceId: Type.String(),
})
const refused = (description: string) =>
  Type.Object({ count: Type.Integer(), links: Type.Array(link) }, { description })
const named = { id: Type.String(), key: Type.String(), name: Type.String(), since: Schema.time }

/** A profile as the API shows it. */
export const ProfileResponse = Type.Object(
  {
    space: Type.String(),
    userIds: ids,
    anonymousIds: ids,
    links: Type.Array(link, {
      description:
        'Why it has more than one id: for each anonymousId the earliest call of a user with it, and the aliases of its users. A deletion of a user removes the anonymousIds that the user named, and no other user.',
    }),
    refusedLinks: Type.Object(
      {
        otherUser: refused('The call of another user with the anonymousId is earlier.'),
        limit: refused(
          'The profile has as many anonymousIds as the setting maxAnonymousIds allows, or an alias would make more than 100 users one.',
        ),
        placeholders: Schema.integer(
          'Calls with an id that stands for no user, such as undefined or 0.',
        ),
      },
      {
        description:
          'Ids that calls named beside a userId of the profile, and that are not linked to it: the earliest 20 of each kind, and how many there are, counted up to 1,000.',
      },
    ),
    traits: Type.Record(
      Type.String(),
      Type.Object({
        value: anything,
        at: Schema.time,
        eventId: Type.String(),
        sourceId: Type.String(),
      }),
      {
        description:
          'The traits of identify calls, each with the event that set it and when that happened. The newest one counts; a call that says that it happens later than it was received counts from then.',
      },
    ),
    computedTraits: Type.Array(Type.Object({ ...named, value: anything })),
    audiences: Type.Array(Type.Object(named)),
    counts: Type.Object(
      Object.fromEntries(EVENT_TYPES.map((type) => [type, Type.Optional(Type.Integer())])),
      { description: 'How many events there were of each type.' },
    ),
    firstSeenAt: Schema.nullable(
      Schema.timeOf('The earliest timestamp of its events; null: it is only on a list.'),
    ),
    lastSeenAt: Schema.nullable(Schema.timeOf('The latest timestamp of its events.')),
  },
  { $id: 'Profile' },
)

/** A profile in a list. */
export const ProfileSummaryResponse = Type.Object(
  {
    space: Type.String(),
    userIds: ids,
    anonymousIds: ids,
    traits: Schema.anyObject,
    firstSeenAt: Schema.nullable(Schema.time),
    lastSeenAt: Schema.nullable(Schema.time),
  },
  { $id: 'ProfileSummary' },
)

/** How parameters begin that name a trait. */
const TRAIT = 'trait.'

const { viewer } = Schema.operationsTagged('Profiles')
const inSpace = Type.Optional(
  Schema.space(`The space of the profile; ${Schema.DEFAULT_SPACE_TEXT}`),
)
const response = Schema.ok('The profile.', Schema.ref(ProfileResponse))

const schemas = {
  find: {
    ...viewer('findProfile', 'Shows everything that is known of a user'),
    isLongRead: true,
    description:
      'Profiles are kept as long as there is an audience or a computed trait. The first one makes them from all stored events.',
    querystring: Type.Object({ userId: Type.String(), space: inSpace }, Schema.strict),
    response,
  },
  list: {
    ...viewer('listProfiles', 'Lists profiles, or finds some of them'),
    isLongRead: true,
    description:
      'The parameter trait.NAME=VALUE finds those whose trait NAME has the value, without regard to case: trait.plan=pro. The first search for a trait, or for an e-mail address, makes an index; until it is complete, indexed is the share of profiles that it has. At most 20 traits beside email have one, and one that nobody searches for a week is removed.',
    querystring: Type.Object(
      {
        search: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description:
              'The beginning of a userId, an anonymousId, or an e-mail address: the trait email.',
          }),
        ),
        order: Type.Optional(
          Schema.oneOf(
            ['largest'],
            'largest: those with the most ids first, on one page. Without search and trait.',
          ),
        ),
        space: inSpace,
        ...Schema.listQuery,
      },
      { ...Schema.strict, 'x-prefix': TRAIT },
    ),
    response: Schema.ok(
      'A page of profiles: at most 20 ids of each kind, and 20 traits.',
      Schema.page(Schema.ref(ProfileSummaryResponse), {
        indexed: Type.Optional(
          Type.Number({
            description: 'The share of profiles that the index has, from 0 to 1. Absent: all.',
          }),
        ),
      }),
    ),
  },
  get: {
    ...viewer('getProfile', 'Shows everything that is known of a user'),
    isLongRead: true,
    description:
      'Prefer GET /profile with the id in the query: in a path, clients resolve the ids "." and ".." away.',
    params: Type.Object({ userId: Type.String() }),
    querystring: Type.Object({ space: inSpace }, Schema.strict),
    response,
  },
}

interface ProfileDeps {
  readonly profiles: Pick<Profiles, 'state' | 'find' | 'list'>
  readonly clock: Clock
  readonly catalog: Pick<Catalog, 'current'>
}

/** `/profile`, `/profiles` and `/profiles/:userId`: everything that is known of users. */
export function addProfileRoutes(app: AdminApp, { profiles, catalog, clock }: ProfileDeps): void {
  app.get('/profiles', { schema: schemas.list }, async ({ query }) => {
    const { search, order, space = DEFAULT_SPACE } = query
    const trait = traitIn(query)
    if (trait !== undefined && search !== undefined)
      throw new Problem('invalid_query', { detail: 'Give search or a trait, not both.' })
    const isLargestFirst = order === 'largest'
    if (isLargestFirst && (trait ?? search) !== undefined)
      throw new Problem('invalid_query', { detail: 'Give order without search and trait.' })
    const asked = {
      space,
      isLargestFirst,
      ...(search !== undefined && { text: search }),
      ...(trait && { trait }),
    }
    const list = profileLists[trait !== undefined ? 'trait' : search !== undefined ? 'text' : 'all']
    let indexed: number | undefined
    const page = await list.page(query, async (request) => {
      const found = await profiles.list(asked, request, clock.wall()).catch(refuseTrait)
      indexed = found.indexed
      return found
    })
    return { ...page, ...(indexed !== undefined && { indexed }) }
  })
  app.get('/profile', { schema: schemas.find }, ({ query: { userId, space } }) =>
    shown(userId, space),
  )
  app.get('/profiles/:userId', { schema: schemas.get }, ({ params, query }) =>
    shown(params.userId, query.space),
  )

  async function shown(userId: string, space = DEFAULT_SPACE): Promise<object> {
    const profile = await profiles.find(space, userId)
    if (profile !== undefined) return presentProfile(profile, catalog.current)
    const { through } = await profiles.state()
    const detail =
      through === null
        ? 'No profiles are kept yet: create an audience or a computed trait first.'
        : `There is no profile of this user in the space ${space}.`
    throw new Problem('not_found', { detail })
  }
}

/** A cursor of one kind of search is none of another. */
const profileLists = {
  all: new List('profiles', presentSummary),
  text: new List('profiles-by-text', presentSummary),
  trait: new List('profiles-by-trait', presentSummary),
}

function presentSummary({ firstSeenAt, lastSeenAt, ...rest }: ProfileSummary): object {
  return {
    ...rest,
    firstSeenAt: Schema.timeOrNull(firstSeenAt),
    lastSeenAt: Schema.timeOrNull(lastSeenAt),
  }
}

/** The trait that a query asks for. */
function traitIn(query: object): { readonly name: string; readonly value: string } | undefined {
  const asked = Object.entries(query as Record<string, unknown>).filter(([name]) =>
    name.startsWith(TRAIT),
  )
  const [first, second] = asked
  if (first === undefined) return undefined
  const name = first[0].slice(TRAIT.length)
  if (second !== undefined || name === '')
    throw new Problem('invalid_query', { detail: 'Name one trait, as in trait.plan=pro.' })
  return { name, value: String(first[1]) }
}

function refuseTrait(error: unknown): never {
  if (!(error instanceof TooManyTraitIndexes)) throw error
  const detail = `${error.message} One that nobody searches for is removed after a week.`
  throw new Problem('wrong_state', { detail })
}

function presentProfile(profile: Profile, { computations }: CatalogSnapshot): object {
  const { space, userIds, anonymousIds, traits, computed, audiences, counts } = profile
  const { otherUser, limit, placeholders } = profile.refusedLinks
  return {
    space,
    userIds,
    anonymousIds,
    links: profile.links.map(presentLink),
    refusedLinks: {
      otherUser: { ...otherUser, links: otherUser.links.map(presentLink) },
      limit: { ...limit, links: limit.links.map(presentLink) },
      placeholders,
    },
    traits: Object.fromEntries(
      Object.entries(traits).map(([name, { value, at, eventId, sourceId }]) => [
        name,
        { value, at: formatTimestamp(at), eventId, sourceId },
      ]),
    ),
    computedTraits: withNames(computed, computations).map(({ entry, ...rest }) => ({
      ...rest,
      value: entry.value,
    })),
    audiences: withNames(audiences, computations).map(({ entry: _, ...rest }) => rest),
    counts,
    firstSeenAt: Schema.timeOrNull(profile.firstSeenAt),
    lastSeenAt: Schema.timeOrNull(profile.lastSeenAt),
  }
}

function presentLink({ at, ...rest }: Link): object {
  return { ...rest, at: formatTimestamp(at) }
}

/** With the names of the computations. Leaves out those that were removed a moment ago. */
function withNames<T extends { readonly since: number }>(
  entries: Readonly<Record<string, T>>,
  computations: ReadonlyMap<string, Computation>,
) {
  return Object.entries(entries).flatMap(([id, entry]) => {
    const { key, name } = computations.get(id) ?? {}
    if (key === undefined || name === undefined) return []
    return [{ id, key, name, since: formatTimestamp(entry.since), entry }]
  })
}
