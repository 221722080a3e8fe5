import type { Deletion } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { showItem, showList } from '../../output/list.ts'
import { jsonText } from '../../output/safe-text.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

export function addDeletions(program: ApiCommand): void {
  const deletions = program.command('deletions').description('list and show user deletions')

  deletions
    .api('list', 'list deletions, newest first')
    .paged('long')
    .run(async ({ api, output }, part: ListPart) => {
      const page = await listPart(api.listDeletions, part)
      showList(output, COLUMNS, page, 'No deletions. `hookline delete-user` starts one.')
    })

  deletions
    .api('get <id>', 'show a deletion or its receipt')
    .option('--receipt', 'print the signed receipt as JSON')
    .runOn('deletion', async ({ api, output }, id, { receipt }: { receipt?: true }) => {
      const deletion = await api.getDeletion(id, receipt ? { format: 'receipt' } : {})
      if ('receipt' in deletion) output.data(deletion, () => jsonText(deletion))
      else showItem(output, COLUMNS, deletion)
    })
}

const COLUMNS: readonly Column<Deletion>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'state', cell: ({ state }) => state },
  { head: 'users', cell: ({ users }) => `${users}` },
  { head: 'anonymous', cell: ({ anonymousUsers }) => `${anonymousUsers}` },
  { head: 'created', cell: ({ createdAt }) => createdAt, isTime: true, rank: 1 },
]
