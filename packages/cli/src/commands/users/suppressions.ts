import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-command.ts'
import { outputOf } from '../../output/output-of.ts'
import { table } from '../../output/table.ts'
import { limitOption } from '../../options/count-option.ts'

interface SuppressionShown {
  readonly userId: string
  readonly sourceId: string | null
  readonly since: string
  readonly deletionId: string
}

/** `hookline suppressions …` */
export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('users whose events are answered 200 and not kept')

  withApiOptions(suppressions.command('list'))
    .description('list suppressed users, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await apiOf(command).first<SuppressionShown>('suppressions', {}, limit)
      const output = outputOf(command)
      output.data({ data }, () =>
        data.length === 0 ? 'Nobody is suppressed.' : table(output, COLUMNS, data),
      )
    })

  withApiOptions(suppressions.command('delete <userId>'))
    .description('let a user come back: new events are kept from now on')
    .action(async (userId: string, _options: unknown, command: Command) => {
      await apiOf(command).delete(`suppressions/${encodeURIComponent(userId)}`)
      outputOf(command).data({ userId, deleted: true }, () => `${userId} may come back.`)
    })
}

const COLUMNS = [
  { head: 'user', cell: ({ userId }: SuppressionShown) => userId },
  { head: 'source', cell: ({ sourceId }: SuppressionShown) => sourceId ?? 'all' },
  { head: 'since', cell: ({ since }: SuppressionShown) => since },
  { head: 'deletion', cell: ({ deletionId }: SuppressionShown) => deletionId },
]
