import { type ListPart, listPart } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'
import { addComputationCommands } from './computation-commands.ts'
import type { ComputationKind } from './computation-kind.ts'

const TRAITS: ComputationKind = {
  word: 'traits',
  kind: 'trait',
  one: 'a computed trait',
  many: 'computed traits',
  definition: 'compute',
  explanation: "explain a user's value",
  example: `Example computation, for the order total of the last 30 days:
{"fn": "sum", "event": "Order", "property": "total", "within": {"days": 30}}`,
  operations: (api) => ({
    list: api.listTraits,
    get: api.getTrait,
    create: (body) => api.createTrait(body as Parameters<ManagementApi['createTrait']>[0]),
    change: api.changeTrait,
    remove: api.removeTrait,
    sync: (id) => api.syncTrait(id, {}),
    preview: (body) => api.previewTrait(body as Parameters<ManagementApi['previewTrait']>[0]),
    explain: (id, userId) => api.explainTrait(userId, id),
  }),
}

export function addTraits(program: ApiCommand): void {
  const traits = addComputationCommands(program, TRAITS)

  traits
    .api('values <id>', 'list users with their values')
    .paged('long')
    .runOn('trait', async ({ api, output }, id, part: ListPart) => {
      const values = await listPart((page) => api.listTraitValues(id, page), part)
      showList(output, COLUMNS, values, 'No values.')
    })
}

type Value = Awaited<ReturnType<ManagementApi['listTraitValues']>>['data'][number]

const COLUMNS: readonly Column<Value>[] = [
  { head: 'user', cell: ({ userId }) => userId ?? '(no userId yet)' },
  { head: 'value', cell: ({ value }) => JSON.stringify(value), long: 'cut' },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]
