import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { idOf } from '../../api/find-id.ts'
import type { Deletion } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { outputOf } from '../../output/output.ts'
import { jsonText } from '../../output/safe-text.ts'
import { showItem, showList } from '../../output/list.ts'
import type { Column } from '../../output/table.ts'
import { withLongListOptions } from '../../options/list-options.ts'

/** `hookline deletions …` */
export function addDeletions(program: Command): void {
  const deletions = program
    .command('deletions')
    .description('deletions of users and their progress')

  withLongListOptions(withApiOptions(deletions.command('list')))
    .description('list deletions, newest first')
    .action(async (part: ListPart, command: Command) => {
      const data = await listPart(apiOf(command).listDeletions, part)
      showList(outputOf(command), COLUMNS, data, 'No deletions. `hookline delete-user` starts one.')
    })

  withApiOptions(deletions.command('get <id>'))
    .description('show a deletion, or with --receipt the signed document that proves it')
    .option('--receipt', 'print the receipt, always as JSON')
    .action(async (id: string, { receipt }: { receipt?: true }, command: Command) => {
      const api = apiOf(command)
      const deletion = await idOf(api, 'deletion', id)
      const found = await api.getDeletion(deletion, receipt ? { format: 'receipt' } : {})
      const output = outputOf(command)
      if ('receipt' in found) output.data(found, () => jsonText(found))
      else showItem(output, COLUMNS, found)
    })
}

const COLUMNS: readonly Column<Deletion>[] = [
  { head: 'id', cell: ({ id }) => id },
  { head: 'state', cell: ({ state }) => state },
  { head: 'users', cell: ({ users }) => `${users}` },
  { head: 'anonymous', cell: ({ anonymousUsers }) => `${anonymousUsers}` },
  { head: 'created', cell: ({ createdAt }) => createdAt, isTime: true, rank: 1 },
]
