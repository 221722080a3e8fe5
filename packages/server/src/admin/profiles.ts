import { type Computation, DEFAULT_SPACE, EVENT_TYPES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import type { Profile, Profiles } from '../backend/profiles.ts'
import type { AdminApp } from './api/admin-app.ts'
import * as Schema from './api/schema.ts'
import { Problem } from './problems/problem.ts'

const ids = Type.Array(Type.String())
const anything = Type.Unsafe({ description: 'Any JSON.' })
const named = { id: Type.String(), key: Type.String(), name: Type.String(), since: Schema.time }

/** A profile as the API shows it. */
export const ProfileResponse = Type.Object(
  {
    space: Type.String(),
    userIds: ids,
    anonymousIds: ids,
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
          'The traits of identify calls, each with the event that set it and its timestamp. The newest timestamp counts.',
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

const { viewer } = Schema.operationsTagged('Profiles')
const inSpace = Type.Optional(
  Schema.space(`The space of the profile; ${Schema.DEFAULT_SPACE_TEXT}`),
)
const response = Schema.ok('The profile.', Schema.ref(ProfileResponse))

const schemas = {
  find: {
    ...viewer('findProfile', 'Shows everything that is known of a user'),
    description:
      'Profiles are kept as long as there is an audience or a computed trait. The first one makes them from all stored events.',
    querystring: Type.Object({ userId: Type.String(), space: inSpace }, Schema.strict),
    response,
  },
  get: {
    ...viewer('getProfile', 'Shows everything that is known of a user'),
    description:
      'Prefer GET /profiles with the id in the query: in a path, clients resolve the ids "." and ".." away.',
    params: Type.Object({ userId: Type.String() }),
    querystring: Type.Object({ space: inSpace }, Schema.strict),
    response,
  },
}

interface ProfileDeps {
  readonly profiles: Pick<Profiles, 'state' | 'find'>
  readonly catalog: Pick<Catalog, 'current'>
}

/** `/profiles`: everything that is known of a user. */
export function addProfileRoutes(app: AdminApp, { profiles, catalog }: ProfileDeps): void {
  app.get('/profiles', { schema: schemas.find }, ({ query: { userId, space } }) =>
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

function presentProfile(profile: Profile, { computations }: CatalogSnapshot): object {
  const { space, userIds, anonymousIds, traits, computed, audiences, counts } = profile
  return {
    space,
    userIds,
    anonymousIds,
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
