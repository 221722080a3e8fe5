import { EVENT_TYPES, LIMITS } from '@hookline/protocol'
import Type from 'typebox'
import { dayOf } from '../../backend/days.ts'
import {
  type EventName,
  type EventNames,
  OTHER_NAMES,
  PROPERTY_TYPES,
  TREND_DAYS,
} from '../../backend/event-names.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { List } from '../api/list.ts'
import * as Schema from '../api/schema.ts'

const PropertyResponse = Type.Object({
  name: Type.String(),
  types: Type.Array(Type.Enum(PROPERTY_TYPES), { description: 'The JSON types of its values.' }),
  lastSeenAt: Schema.timeOf('When the name was last received, usually to within a minute.'),
})

const EventNameResponse = Type.Object(
  {
    sourceId: Type.String(),
    type: Schema.nullable(
      Schema.oneOf(
        EVENT_TYPES,
        `null: the total of all other names, because at most ${LIMITS.eventNamesPerSource} names of up to ${LIMITS.catalogNameCharacters} characters are stored per source.`,
      ),
    ),
    name: Schema.nullable(
      Schema.text('The name of track, page and screen calls; null for calls without a name.'),
    ),
    count: Schema.integer('Received events, excluding duplicates and computed events.'),
    days: Type.Array(Type.Integer(), {
      description: 'The count for each of the last seven days (UTC), today last.',
    }),
    firstSeenAt: Schema.time,
    lastSeenAt: Schema.time,
    properties: Type.Array(PropertyResponse, {
      description: `The properties of the events, or the traits of identify and group calls, by name: at most ${LIMITS.propertiesPerEventName}.`,
    }),
    hasMoreProperties: Schema.boolean(
      `Whether properties were omitted: there are more than ${LIMITS.propertiesPerEventName}, or a name is longer than ${LIMITS.catalogNameCharacters} characters.`,
    ),
  },
  { $id: 'EventName' },
)

const { viewer } = Schema.operationsTagged('Events')

const schema = {
  ...viewer('listEventNames', 'Lists the names of received events, by source, type and name'),
  isLongRead: true,
  description:
    'Each name with its count, its properties and their types, but no values. New events are included after about two seconds.',
  querystring: Schema.strictObject({
    ...Schema.listQuery,
    sourceId: Type.Optional(Schema.text('Only names from this source.')),
    type: Type.Optional(Schema.oneOf(EVENT_TYPES, `One of ${EVENT_TYPES.join(', ')}.`)),
  }),
  response: Schema.pages('A page of names.', Schema.ref(EventNameResponse)),
}

interface EventNameDeps {
  readonly eventNames: Pick<EventNames, 'list'>
  readonly clock: Pick<Clock, 'wall'>
}

/** `/event-names`: the catalog of received events. */
export function addEventNamesRoute(app: AdminApp, { eventNames, clock }: EventNameDeps): void {
  app.get('/event-names', { schema }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filter } = query
    const today = dayOf(clock.wall())
    const list = new List<EventName>('event-names', (name) => presentName(name, today))
    return list.page(query, (page) => eventNames.list(filter, page))
  })
}

function presentName({ type, name, days, properties, ...rest }: EventName, today: number): object {
  return {
    ...Schema.withTimes(rest, 'firstSeenAt', 'lastSeenAt'),
    type: type === OTHER_NAMES ? null : type,
    name: name === '' ? null : name,
    days: Array.from({ length: TREND_DAYS }, (_, ago) => days.get(today - ago) ?? 0).toReversed(),
    properties: properties.map((property) => Schema.withTimes(property, 'lastSeenAt')),
  }
}
