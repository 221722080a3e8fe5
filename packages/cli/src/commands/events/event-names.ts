import { EVENT_TYPES, type EventType } from '@hookline/protocol'
import { Option } from 'commander'
import { optionalIdOf, requireKnown } from '../../api/find-id.ts'
import type { EventName } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { formatCount } from '../../output/figures.ts'
import { showList } from '../../output/list.ts'
import { nameColumns, type Names, sourceNames } from '../../output/names.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

interface NameOptions extends ListPart {
  readonly source?: string
  readonly type?: EventType
}

export function addEventNames(events: ApiCommand): void {
  events
    .api('names', 'list the names of received events with their counts and properties')
    .paged('long')
    .option('--source <id>', 'only names from this source')
    .addOption(new Option('--type <type>', 'only names of this type').choices(EVENT_TYPES))
    .run(async ({ api, output }, { source, type, ...part }: NameOptions) => {
      const sourceId = await optionalIdOf(api, 'source', source)
      const filter = definedFields({ sourceId, $type: type })
      const page = await listPart((next) => api.listEventNames({ ...filter, ...next }), part)
      if (page.data.length === 0) await requireKnown(api, { sourceId })
      const names = await sourceNames(api, output)
      showList(output, columnsFor(page.data, names), page, 'No matching names.')
    })
}

function columnsFor(items: readonly EventName[], names: Names): Column<EventName>[] {
  return [
    { head: 'type', cell: ({ type }) => type ?? 'other' },
    { head: 'name', cell: ({ name }) => name ?? '', long: 'cut' },
    { head: 'events', cell: ({ count }) => formatCount(count) },
    { head: 'last seen', cell: ({ lastSeenAt }) => lastSeenAt, isTime: true },
    { head: 'first seen', cell: ({ firstSeenAt }) => firstSeenAt, isTime: true, rank: 2 },
    { head: 'properties', cell: propertiesText, long: 'cut', rank: 0 },
    ...nameColumns('source', ({ sourceId }: EventName) => sourceId, { names, items }).map(
      (column) => ({ ...column, rank: column.rank ?? 1 }),
    ),
  ]
}

function propertiesText({ properties, hasMoreProperties }: EventName): string {
  const names = properties.map(({ name }) => name)
  return [...names, ...(hasMoreProperties ? ['…'] : [])].join(', ')
}
