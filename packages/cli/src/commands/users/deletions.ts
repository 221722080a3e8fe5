import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { Deletion } from '../../api/generated/management-client.ts'
import { listItems } from '../../api/list-items.ts'
import { outputOf } from '../../output/output-of.ts'
import { sheet, table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'

/** `hookline deletions …` */
export function addDeletions(program: Command): void {
  const deletions = program.command('deletions').description('how far deletions of users are')

  withApiOptions(deletions.command('list'))
    .description('list deletions, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await listItems(apiOf(command).listDeletions, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0
          ? 'No deletions. `hookline delete-user` makes one.'
          : table(output, COLUMNS, data),
      )
    })

  withApiOptions(deletions.command('get <id>'))
    .description('show a deletion; with --receipt, the signed document that proves it')
    .option('--receipt', 'print the receipt, always as JSON')
    .action(async (id: string, { receipt }: { receipt?: true }, command: Command) => {
      const found = await apiOf(command).getDeletion(id, receipt ? { format: 'receipt' } : {})
      const output = outputOf(command)
      output.data(found, () =>
        'receipt' in found
          ? JSON.stringify(found)
          : sheet(
              output,
              COLUMNS.map(({ head, cell }) => [head, cell(found)]),
            ),
      )
    })
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: Deletion) => id },
  { head: 'state', cell: ({ state }: Deletion) => state },
  { head: 'users', cell: ({ users }: Deletion) => `${users}` },
  { head: 'asked for', cell: ({ createdAt }: Deletion) => createdAt },
]
