import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import type { Deletion } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { outputOf } from '../../output/output.ts'
import { jsonText } from '../../output/safe-text.ts'
import { showItem, showList } from '../../output/table.ts'
import { limitOption } from '../../options/whole-number.ts'

/** `hookline deletions …` */
export function addDeletions(program: Command): void {
  const deletions = program
    .command('deletions')
    .description('deletions of users and their progress')

  withApiOptions(deletions.command('list'))
    .description('list deletions, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await listItems(apiOf(command).listDeletions, limit)
      showList(outputOf(command), COLUMNS, data, 'No deletions. `hookline delete-user` starts one.')
    })

  withApiOptions(deletions.command('get <id>'))
    .description('show a deletion, or with --receipt the signed document that proves it')
    .option('--receipt', 'print the receipt, always as JSON')
    .action(async (id: string, { receipt }: { receipt?: true }, command: Command) => {
      const found = await apiOf(command).getDeletion(id, receipt ? { format: 'receipt' } : {})
      const output = outputOf(command)
      if ('receipt' in found) output.data(found, () => jsonText(found))
      else showItem(output, COLUMNS, found)
    })
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Deletion) => id },
  { head: 'state', cell: ({ state }: Deletion) => state },
  { head: 'users', cell: ({ users }: Deletion) => `${users}` },
  { head: 'anonymous', cell: ({ anonymousUsers }: Deletion) => `${anonymousUsers}` },
  { head: 'created', cell: ({ createdAt }: Deletion) => createdAt },
]
