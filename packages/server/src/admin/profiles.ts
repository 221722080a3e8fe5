import {
  type Computation,
  DEFAULT_SPACE,
  EVENT_TYPES,
  formatTimestamp,
  type Json,
} from '@hookline/protocol'
import Type from 'typebox'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import {
  type Link,
  type Profile,
  type Profiles,
  type ProfileSummary,
  TooManyTraitIndexesError,
} from '../backend/profiles.ts'
import type { Clock } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { Problem } from './problems/problem.ts'

const ids = Type.Array(Type.String())
const anything = Type.Unsafe({ description: 'Any JSON.' })
const origin = { at: Schema.time, eventId: Type.String(), sourceId: Type.String() }
const link = Type.Object({
  kind: Schema.oneOf(['user', 'anonymous'], 'Whether id is a userId or an anonymousId.'),
  id: Type.String(),
  userId: Schema.text('The user of the call.'),
  ...origin,
})
const unlinked = (description: string) =>
  Type.Object({ count: Type.Integer(), links: Type.Array(link) }, { description })
const named = { id: Type.String(), key: Type.String(), name: Type.String(), since: Schema.time }

const ProfileResponse = Type.Object(
  {
    space: Type.String(),
    userIds: ids,
    anonymousIds: ids,
    links: Type.Array(link, {
      description:
        'Why the profile has several ids: for each anonymousId the earliest call that contained it, and the alias calls of its users. Deleting a user also deletes the anonymousIds linked to that user, but no other user.',
    }),
    unlinkedIds: Type.Object(
      {
        otherUser: unlinked('Another user was seen with the anonymousId first.'),
        limit: unlinked(
          'The profile has maxAnonymousIds anonymousIds, or an alias call would join more than 100 users.',
        ),
        placeholders: Schema.integer('Calls with a placeholder id, such as undefined or 0.'),
      },
      {
        description:
          "Ids in the profile's calls that are not linked to it: the earliest 20 of each kind, and their number, up to 1,000.",
      },
    ),
    traits: Type.Record(Type.String(), Type.Object({ value: anything, ...origin }), {
      description:
        'The traits from identify calls, each with its event. The newest value applies; a timestamp in the future counts as the time of receipt.',
    }),
    computedTraits: Type.Array(Type.Object({ ...named, value: anything })),
    audiences: Type.Array(Type.Object(named)),
    counts: Type.Object(
      Object.fromEntries(EVENT_TYPES.map((type) => [type, Type.Optional(Type.Integer())])),
      { description: 'The number of events per type.' },
    ),
    firstSeenAt: Schema.nullable(
      Schema.timeOf('The earliest timestamp of its events; null without events.'),
    ),
    lastSeenAt: Schema.nullable(Schema.timeOf('The latest timestamp of its events.')),
  },
  { $id: 'Profile' },
)

const ProfileSummaryResponse = Type.Object(
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

/** The prefix of query parameters for traits. */
const TRAIT = 'trait.'

const { viewer } = Schema.operationsTagged('Profiles')
const inSpace = Type.Optional(
  Schema.space(`The space of the profile; ${Schema.DEFAULT_SPACE_TEXT}`),
)
const response = Schema.ok('The profile.', Schema.ref(ProfileResponse))
const summary = "Shows a user's profile"

const schemas = {
  find: {
    ...viewer('findProfile', summary),
    isLongRead: true,
    description:
      'Creating or previewing the first audience or computed trait builds profiles from all stored events. From then on, they are kept even if no audience or computed trait is left.',
    querystring: Type.Object({ userId: Type.String(), space: inSpace }, Schema.strict),
    response,
  },
  list: {
    ...viewer('listProfiles', 'Lists or searches profiles'),
    isLongRead: true,
    description:
      'The parameter trait.NAME=VALUE finds profiles by a trait, ignoring case: trait.plan=pro. The first search for a trait or an email address creates an index; until it is complete, indexed is the share of profiles in it. At most 20 traits besides email have an index, which is removed after a week without a search.',
    querystring: Type.Object(
      {
        search: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 1000,
            description: 'A userId prefix, a complete anonymousId, or a complete email address.',
          }),
        ),
        order: Type.Optional(
          Schema.oneOf(
            ['largest'],
            'largest: the profiles with the most ids, on one page. Not with search or trait.',
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
          Type.Number({ description: 'The indexed share of profiles, 0 to 1. Absent: all.' }),
        ),
      }),
    ),
  },
  get: {
    ...viewer('getProfile', summary),
    isLongRead: true,
    description:
      'Prefer GET /profile with the id in the query: in a path, clients remove the segments "." and "..".',
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

export function addProfileRoutes(app: AdminApp, { profiles, catalog, clock }: ProfileDeps): void {
  app.get('/profiles', { schema: schemas.list }, async ({ query }) => {
    const { search, order, space = DEFAULT_SPACE } = query
    const trait = traitIn(query)
    if ([search, trait, order].filter((each) => each !== undefined).length > 1)
      throw new Problem('invalid_query', {
        detail: 'search, order and trait.NAME are mutually exclusive.',
      })
    const filter = {
      space,
      isLargestFirst: order !== undefined,
      ...(search !== undefined && { text: search }),
      ...(trait && { trait }),
    }
    const list = profileLists[trait !== undefined ? 'trait' : search !== undefined ? 'text' : 'all']
    let indexed: number | undefined
    const page = await list.page(query, async (request) => {
      const profilePage = await profiles.list(filter, request, clock.wall()).catch(refuseTrait)
      indexed = profilePage.indexed
      return profilePage
    })
    return { ...page, ...(indexed !== undefined && { indexed }) }
  })
  app.get('/profile', { schema: schemas.find }, ({ query }) => shown(query.userId, query.space))
  app.get('/profiles/:userId', { schema: schemas.get }, ({ params, query }) =>
    shown(params.userId, query.space),
  )

  async function shown(userId: string, space = DEFAULT_SPACE): Promise<object> {
    const profile = await profiles.find(space, userId)
    if (profile !== undefined) return presentProfile(profile, catalog.current)
    const { through } = await profiles.state()
    const detail =
      through === null
        ? 'No profiles exist yet: create an audience or a computed trait first.'
        : `This user has no profile in the space ${space}.`
    throw new Problem('not_found', { detail })
  }
}

/** By kind of search, so that a cursor is valid for one kind only. */
const profileLists = {
  all: new List('profiles', presentSummary),
  text: new List('profiles-by-text', presentSummary),
  trait: new List('profiles-by-trait', presentSummary),
}

function presentSummary(profile: ProfileSummary): object {
  return Schema.withTimes(profile, 'firstSeenAt', 'lastSeenAt')
}

function traitIn(query: object): { readonly name: string; readonly value: string } | undefined {
  const [first, second] = Object.entries(query).filter(([name]) => name.startsWith(TRAIT))
  if (first === undefined) return undefined
  const name = first[0].slice(TRAIT.length)
  if (second !== undefined || name === '')
    throw new Problem('invalid_query', { detail: 'Specify one trait, such as trait.plan=pro.' })
  return { name, value: String(first[1]) }
}

function refuseTrait(error: unknown): never {
  if (!(error instanceof TooManyTraitIndexesError)) throw error
  const detail = `${error.message} An index is removed after a week without a search.`
  throw new Problem('invalid_state', { detail })
}

function presentProfile(profile: Profile, { computations }: CatalogSnapshot): object {
  const { computed, unlinkedIds, ...shown } = profile
  const { otherUser, limit, placeholders } = unlinkedIds
  const traits = Object.entries(profile.traits).map(([name, { value, at, eventId, sourceId }]) => [
    name,
    { value, at: formatTimestamp(at), eventId, sourceId },
  ])
  return {
    ...Schema.withTimes(shown, 'firstSeenAt', 'lastSeenAt'),
    links: presentLinks(profile.links),
    unlinkedIds: {
      otherUser: { ...otherUser, links: presentLinks(otherUser.links) },
      limit: { ...limit, links: presentLinks(limit.links) },
      placeholders,
    },
    traits: Object.fromEntries(traits),
    computedTraits: withNames(computed, computations),
    audiences: withNames(profile.audiences, computations),
  }
}

function presentLinks(links: readonly Link[]): object[] {
  return links.map((each) => Schema.withTimes(each, 'at'))
}

/** The entries with the names of their computations. Omits entries of removed computations. */
function withNames(
  entries: Readonly<Record<string, { readonly since: number; readonly value?: Json }>>,
  computations: ReadonlyMap<string, Computation>,
): object[] {
  return Object.entries(entries).flatMap(([id, entry]) => {
    const { key, name } = computations.get(id) ?? {}
    return key === undefined ? [] : { id, key, name, ...Schema.withTimes(entry, 'since') }
  })
}
