import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import type { DeletionShown } from '../../api/resources.ts'
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
      const data = await apiOf(command).first<DeletionShown>('deletions', {}, limit)
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
      const query = receipt ? { format: 'receipt' } : {}
      const path = `deletions/${encodeURIComponent(id)}`
      const deletion = await apiOf(command).get<DeletionShown>(path, query)
      const output = outputOf(command)
      output.data(deletion, () =>
        receipt
          ? JSON.stringify(deletion)
          : sheet(
              output,
              COLUMNS.map(({ head, cell }) => [head, cell(deletion)]),
            ),
      )
    })
}

const COLUMNS = [
  { head: 'id', cell: ({ id }: DeletionShown) => id },
  { head: 'state', cell: ({ state }: DeletionShown) => state },
  { head: 'users', cell: ({ users }: DeletionShown) => `${users}` },
  { head: 'asked for', cell: ({ createdAt }: DeletionShown) => createdAt },
]
