import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { listItems } from '../../api/list-items.ts'
import type { Suppression } from '../../api/generated/management-client.ts'
import { definedFields } from '../../api/management-api.ts'
import { outputOf } from '../../output/output.ts'
import { showList } from '../../output/table.ts'
import { limitOption } from '../../options/whole-number.ts'

interface ListOptions {
  readonly limit: number
  readonly user?: string
  readonly anonymous?: string
}

/** `hookline suppressions …` */
export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('users whose new events are accepted but not stored')

  withApiOptions(suppressions.command('list'))
    .description('list suppressed users and how many of their calls were left out, newest first')
    .option('--user <id>', 'only suppressions of this user')
    .option('--anonymous <id>', 'only suppressions of this anonymousId')
    .addOption(limitOption())
    .action(async ({ limit, user, anonymous }: ListOptions, command: Command) => {
      const api = apiOf(command)
      const filter = definedFields({ userId: user, anonymousId: anonymous })
      const data = await listItems((page) => api.listSuppressions({ ...filter, ...page }), limit)
      const who = user ?? anonymous
      const nobody = who === undefined ? 'No users are suppressed.' : `${who} is not suppressed.`
      showList(outputOf(command), COLUMNS, data, nobody)
    })

  withApiOptions(suppressions.command('delete <id>'))
    .description('end the suppression of a user: new events are stored again')
    .option('--anonymous', 'the id is an anonymousId')
    .action(async (id: string, { anonymous }: { anonymous?: true }, command: Command) => {
      const api = apiOf(command)
      await (anonymous ? api.removeAnonymousSuppression(id) : api.removeSuppression(id))
      const ended = anonymous ? { anonymousId: id } : { userId: id }
      outputOf(command).data(
        { ...ended, deleted: true },
        () => `New events of ${id} are stored again.`,
      )
    })
}

const COLUMNS = [
  { head: 'user', cell: ({ userId }: Suppression) => userId ?? '' },
  { head: 'anonymous', cell: ({ anonymousId }: Suppression) => anonymousId ?? '' },
  { head: 'source', cell: ({ sourceId }: Suppression) => sourceId ?? 'all' },
  { head: 'since', cell: ({ since }: Suppression) => since },
  { head: 'calls left out', cell: ({ callsLeftOut }: Suppression) => String(callsLeftOut) },
  { head: 'last', cell: ({ lastLeftOutAt }: Suppression) => lastLeftOutAt ?? 'never' },
  { head: 'deletion', cell: ({ deletionId }: Suppression) => deletionId },
]
