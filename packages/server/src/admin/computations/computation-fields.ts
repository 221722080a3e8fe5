import { type Computation, formatTimestamp, LIMITS } from '@hookline/protocol'
import Type, { type TProperties, type TSchema } from 'typebox'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import {
  DEFAULT_SPACE_TEXT,
  FIXED_FIELDS,
  nameField,
  spaceField,
  time,
} from '../api/schema-parts.ts'
import { statusFields } from './computation-status.ts'

const destinationIds = Type.Array(Type.String(), {
  maxItems: LIMITS.destinationsPerComputation,
  description: `The ids of the destinations that changes are sent to, whatever their source: at most ${LIMITS.destinationsPerComputation}.`,
})

const ENABLED = 'true or false. While it is false, nothing is computed and nothing is sent.'
const enabled = Type.Boolean({ description: ENABLED })

const SERVER = 'Leave it out: the server sets it.'

/** Fields of a response that a request cannot set. */
const STATUS_FIELDS = Object.fromEntries(Object.keys(statusFields).map((name) => [name, SERVER]))

/** The body of a request that creates an audience or a computed trait. */
export function creationBody<T extends TProperties>(definition: T) {
  return Type.Object(
    {
      name: nameField,
      space: Type.Optional(
        spaceField(`The space whose profiles are computed; ${DEFAULT_SPACE_TEXT}`),
      ),
      destinationIds,
      ...definition,
      enabled: Type.Optional(Type.Boolean({ description: `${ENABLED} true if absent.` })),
    },
    {
      additionalProperties: false,
      'x-fixed': {
        ...FIXED_FIELDS,
        ...STATUS_FIELDS,
        key: 'Leave it out: it comes from the name.',
      },
    },
  )
}

/** The body of a request that changes one. */
export function changeBody<T extends TProperties>(definition: T) {
  return Type.Object(
    {
      name: Type.Optional(nameField),
      destinationIds: Type.Optional(destinationIds),
      ...definition,
      enabled: Type.Optional(enabled),
    },
    {
      additionalProperties: false,
      'x-fixed': {
        ...FIXED_FIELDS,
        ...STATUS_FIELDS,
        key: 'Leave it out: receivers know it under this key. For another key, create a new one.',
        space: 'Leave it out. For another space, create a new one.',
        manual: 'Leave it out. Create a new audience, with a condition or with manual: true.',
      },
    },
  )
}

/** The fields of a response. */
export function responseFields<T extends Readonly<Record<string, TSchema>>>(definition: T) {
  return {
    id: Type.String(),
    name: nameField,
    key: Type.String({
      description:
        'The name of the trait that is sent: snake_case of the first name. It never changes.',
    }),
    space: Type.String(),
    destinationIds,
    ...definition,
    enabled,
    ...statusFields,
    createdAt: time,
    updatedAt: time,
    version: Type.Integer({ description: 'The version, as in the ETag.' }),
  }
}

/** The record as the API shows it, without its status. */
export function presentComputation(
  record: Computation,
  { destinations }: Pick<CatalogSnapshot, 'destinations'>,
): object {
  const { id, name, key, space, enabled: isEnabled, createdAt, updatedAt, version } = record
  return {
    id,
    name,
    key,
    space,
    // Destinations that are removed are forgotten.
    destinationIds: record.destinationIds.filter((each) => destinations.has(each)),
    ...(record.kind === 'audience'
      ? { condition: record.condition, manual: record.condition === null }
      : { compute: record.compute }),
    enabled: isEnabled,
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
    version,
  }
}
