import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { listItems } from '../../api/list-items.ts'
import type { ManagementApi } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/table.ts'
import { limitOption } from '../../options/whole-number.ts'

type Suppression = Awaited<ReturnType<ManagementApi['listSuppressions']>>['data'][number]

/** `hookline suppressions …` */
export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('users whose new events are accepted but not stored')

  withApiOptions(suppressions.command('list'))
    .description('list suppressed users, newest first')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const data = await listItems(apiOf(command).listSuppressions, limit)
      showList(outputOf(command), COLUMNS, data, 'No users are suppressed.')
    })

  withApiOptions(suppressions.command('delete <userId>'))
    .description('end the suppression of a user: new events are stored again')
    .action(async (userId: string, _options: unknown, command: Command) => {
      await apiOf(command).removeSuppression(userId)
      outputOf(command).data(
        { userId, deleted: true },
        () => `New events of ${userId} are stored again.`,
      )
    })
}

const COLUMNS = [
  { head: 'user', cell: ({ userId }: Suppression) => userId },
  { head: 'source', cell: ({ sourceId }: Suppression) => sourceId ?? 'all' },
  { head: 'since', cell: ({ since }: Suppression) => since },
  { head: 'deletion', cell: ({ deletionId }: Suppression) => deletionId },
]
