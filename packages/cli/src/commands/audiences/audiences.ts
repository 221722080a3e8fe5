import { type ListPart, listPart } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { addListImport } from './list-import.ts'
import type { ApiCommand } from '../api-command.ts'
import { addComputationCommands } from './computation-commands.ts'
import type { ComputationKind } from './computation-kind.ts'

const AUDIENCES: ComputationKind = {
  word: 'audiences',
  kind: 'audience',
  one: 'an audience',
  many: 'audiences',
  definition: 'condition',
  explanation: 'show whether a user is in an audience, and why',
  example: `Example condition, for users with at least two orders in the last 30 days:
{"event": "Order", "count": {"op": ">=", "n": 2}, "within": {"days": 30}}`,
  operations: (api) => ({
    list: api.listAudiences,
    get: api.getAudience,
    create: (body) => api.createAudience(body as Parameters<ManagementApi['createAudience']>[0]),
    change: api.changeAudience,
    remove: api.removeAudience,
    sync: (id) => api.syncAudience(id, {}),
    preview: (body) => api.previewAudience(body as Parameters<ManagementApi['previewAudience']>[0]),
    explain: (id, userId) => api.explainAudience(userId, id),
  }),
}

export function addAudiences(program: ApiCommand): void {
  const audiences = addComputationCommands(program, AUDIENCES)

  audiences
    .api('members <id>', 'list the members of an audience')
    .paged('long')
    .runOn('audience', async ({ api, output }, id, part: ListPart) => {
      const members = await listPart((page) => api.listMembers(id, page), part)
      showList(output, COLUMNS, members, 'No members.')
    })

  addListImport(audiences)
}

type Member = Awaited<ReturnType<ManagementApi['listMembers']>>['data'][number]

const COLUMNS: readonly Column<Member>[] = [
  { head: 'user', cell: ({ userId }) => userId ?? '(no userId yet)' },
  { head: 'since', cell: ({ since }) => since, isTime: true },
]
