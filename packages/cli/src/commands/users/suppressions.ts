import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import { listItems } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'

type Suppression = Awaited<ReturnType<ManagementApi['listSuppressions']>>['data'][number]

/** `hookline suppressions …` */
export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('users whose events are answered 200 and not kept')

  withApiOptions(suppressions.command('list'))
    .description('list suppressed users, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await listItems(apiOf(command).listSuppressions, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'Nobody is suppressed.' : table(output, COLUMNS, data),
      )
    })

  withApiOptions(suppressions.command('delete <userId>'))
    .description('let a user come back: new events are kept from now on')
    .action(async (userId: string, _options: unknown, command: Command) => {
      await apiOf(command).removeSuppression(userId)
      outputOf(command).data({ userId, deleted: true }, () => `${userId} may come back.`)
    })
}

const COLUMNS = [
  { head: 'user', cell: ({ userId }: Suppression) => userId },
  { head: 'source', cell: ({ sourceId }: Suppression) => sourceId ?? 'all' },
  { head: 'since', cell: ({ since }: Suppression) => since },
  { head: 'deletion', cell: ({ deletionId }: Suppression) => deletionId },
]
