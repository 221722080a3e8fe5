import { type Computation, EVENT_TYPES, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Profile } from '../../backend/profiles.ts'
import {
  DEFAULT_SPACE_TEXT,
  nullable,
  operationsTagged,
  spaceField,
  time,
  timeOrNull,
} from '../api/schema-parts.ts'
import { componentSchema, responses } from '../problems/responses.ts'

const ids = Type.Array(Type.String())
const anything = Type.Unsafe({ description: 'Any JSON.' })
const named = { id: Type.String(), key: Type.String(), name: Type.String(), since: time }

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
        at: time,
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
    firstSeenAt: nullable({
      ...time,
      description: 'The earliest timestamp of its events; null: it is only on a list.',
    }),
    lastSeenAt: nullable({ ...time, description: 'The latest timestamp of its events.' }),
  },
  { $id: 'Profile' },
)

const operation = operationsTagged('Profiles')
const inSpace = Type.Optional(spaceField(`The space of the profile; ${DEFAULT_SPACE_TEXT}`))
const response = responses(200, 'The profile.', componentSchema('Profile'))

/** Request and response of `/profiles`. */
export const profileSchemas = {
  find: {
    ...operation('findProfile', 'Shows everything that is known of a user'),
    description:
      'Profiles are kept as long as there is an audience or a computed trait. The first one makes them from all stored events.',
    querystring: Type.Object(
      { userId: Type.String(), space: inSpace },
      { additionalProperties: false },
    ),
    response,
  },
  get: {
    ...operation('getProfile', 'Shows everything that is known of a user'),
    description:
      'Prefer GET /profiles with the id in the query: in a path, clients resolve the ids "." and ".." away.',
    params: Type.Object({ userId: Type.String() }),
    querystring: Type.Object({ space: inSpace }, { additionalProperties: false }),
    response,
  },
}

/** The profile as the API shows it. */
export function presentProfile(profile: Profile, { computations }: CatalogSnapshot): object {
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
    firstSeenAt: timeOrNull(profile.firstSeenAt),
    lastSeenAt: timeOrNull(profile.lastSeenAt),
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
