import { type AcceptedEvent, type Filter, formatTimestamp } from '@hookline/protocol'
import Type from 'typebox'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { Events, ListedEvent } from '../../backend/events.ts'
import { passesFilter, whyExcluded } from '../../routing/filter.ts'
import { errorsBelow } from '../../util/field-error.ts'
import type { Clock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { AdminApp } from '../api/admin-app.ts'
import { requireDestination } from '../api/catalog-records.ts'
import * as Schema from '../api/schema.ts'
import { Problem } from '../problems/problem.ts'
import { operations } from './destinations.ts'
import { filterErrors } from './routing-settings.ts'

const MAX_EVENTS = 1_000
const EXAMPLES = 5
const PAGE = 100
const MAX_NAMES = 50
const MAX_NAME_CHARACTERS = 200

const example = {
  id: Type.String(),
  type: Type.String(),
  event: Schema.nullable(Schema.text('The name of a track event.')),
  receivedAt: Schema.time,
}

const schema = {
  ...operations.viewer('previewFilter', 'Shows which recent events a filter selects'),
  isLongRead: true,
  showsUsers: true,
  description:
    "Applies a filter to the latest events from the destination's source. Nothing is changed or sent. The sample setting does not apply.",
  params: Schema.IdParams,
  body: Schema.strictObject({
    filter: Type.Optional(
      Type.Unsafe({
        type: 'object',
        description: 'As in settings.filter. The current filter if absent.',
      }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_EVENTS,
        description: `How many events to examine: 1 to ${MAX_EVENTS}; ${MAX_EVENTS} if absent.`,
      }),
    ),
  }),
  response: Schema.ok(
    'The selected events.',
    Type.Object({
      examined: Schema.integer('The number of events examined.'),
      selected: Schema.integer('How many of the examined events the filter selects.'),
      byName: Type.Array(
        Type.Object({
          type: example.type,
          event: example.event,
          examined: Type.Integer(),
          selected: Type.Integer(),
        }),
        {
          description: `The ${MAX_NAMES} most frequent types and names. Names are cut to ${MAX_NAME_CHARACTERS} characters.`,
        },
      ),
      selectedExamples: Type.Array(Type.Object(example), {
        description: `The latest ${EXAMPLES} events that the filter selects.`,
      }),
      excludedExamples: Type.Array(
        Type.Object({
          ...example,
          reasons: Type.Array(Type.String(), {
            description: "The failed clauses: their JSON Pointers, and the event's values.",
          }),
        }),
        { description: `The latest ${EXAMPLES} events that the filter excludes.` },
      ),
    }),
  ),
}

interface PreviewDeps {
  readonly catalog: FollowedCatalog
  readonly clock: Clock
  readonly events: Pick<Events, 'list'>
}

export function addFilterPreview(app: AdminApp, { catalog, clock, events }: PreviewDeps): void {
  app.post('/destinations/:id/filter-preview', { schema }, async ({ params, body }) => {
    const { sourceId, settings } = requireDestination(catalog, params.id)
    const { filter: input, last = MAX_EVENTS } = body
    const errors = input === undefined ? [] : errorsBelow('/filter', filterErrors(input))
    if (errors.length > 0) throw new Problem('invalid_body', { errors })
    const filter = (input as Filter | undefined) ?? settings.filter
    const preview = new Preview(filter)
    const slices = new TimeSlices(clock)
    for await (const event of lastEvents(events, sourceId, last)) {
      await slices.yieldIfOver()
      preview.add(event)
    }
    return preview.result()
  })
}

async function* lastEvents(
  events: PreviewDeps['events'],
  sourceId: string,
  count: number,
): AsyncGenerator<ListedEvent> {
  let remaining = count
  let cursor: string | undefined
  do {
    const limit = Math.min(remaining, PAGE)
    const page = await events.list({ sourceId }, { limit, ...(cursor && { cursor }) })
    yield* page.data
    remaining -= page.data.length
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined && remaining > 0)
}

class Preview {
  readonly #filter: Filter | undefined
  readonly #names = new Map<string, { type: string; event: string | null; counts: Counts }>()
  readonly #selected: object[] = []
  readonly #excluded: object[] = []
  readonly #total: Counts = { examined: 0, selected: 0 }

  constructor(filter: Filter | undefined) {
    this.#filter = filter
  }

  add(accepted: AcceptedEvent): void {
    const filter = this.#filter
    const isSelected = filter === undefined || passesFilter(filter, accepted)
    const { type } = accepted.event
    const event = accepted.event.event?.slice(0, MAX_NAME_CHARACTERS) ?? null
    const key = JSON.stringify([type, event])
    const named = this.#names.get(key) ?? { type, event, counts: { examined: 0, selected: 0 } }
    this.#names.set(key, named)
    for (const counts of [this.#total, named.counts]) {
      counts.examined++
      if (isSelected) counts.selected++
    }
    const examples = isSelected ? this.#selected : this.#excluded
    if (examples.length === EXAMPLES) return
    const { id, receivedAt } = accepted
    const shown = { id, type, event, receivedAt: formatTimestamp(receivedAt) }
    const reasons = isSelected ? undefined : whyExcluded(filter, accepted)
    examples.push({ ...shown, ...(reasons && { reasons }) })
  }

  result(): object {
    const names = [...this.#names.values()].toSorted(
      (a, b) => b.counts.examined - a.counts.examined,
    )
    return {
      ...this.#total,
      byName: names
        .slice(0, MAX_NAMES)
        .map(({ type, event, counts }) => ({ type, event, ...counts })),
      selectedExamples: this.#selected,
      excludedExamples: this.#excluded,
    }
  }
}

interface Counts {
  examined: number
  selected: number
}
