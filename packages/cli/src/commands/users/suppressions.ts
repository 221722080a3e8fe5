import type { Command } from 'commander'
import { apiOf, withApiOptions } from '../../api/api-options.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import type { Suppression } from '../../api/generated/management-client.ts'
import { definedFields } from '../../api/management-api.ts'
import { nameAndId, type Names, sourceNames } from '../../output/names.ts'
import { outputOf } from '../../output/output.ts'
import type { Column } from '../../output/table.ts'
import { showList } from '../../output/list.ts'
import { withLongListOptions } from '../../options/list-options.ts'

interface ListOptions extends ListPart {
  readonly user?: string
  readonly anonymous?: string
}

/** `hookline suppressions …` */
export function addSuppressions(program: Command): void {
  const suppressions = program
    .command('suppressions')
    .description('users whose new events are accepted but not stored')

  withLongListOptions(withApiOptions(suppressions.command('list')))
    .description('list suppressed users and how many of their calls were left out, newest first')
    .option('--user <id>', 'only suppressions of this user')
    .option('--anonymous <id>', 'only suppressions of this anonymousId')
    .action(async ({ user, anonymous, ...part }: ListOptions, command: Command) => {
      const api = apiOf(command)
      const filter = definedFields({ userId: user, anonymousId: anonymous })
      const page = await listPart((next) => api.listSuppressions({ ...filter, ...next }), part)
      const output = outputOf(command)
      const names = await sourceNames(api, output)
      const who = user ?? anonymous
      const nobody = who === undefined ? 'No users are suppressed.' : `${who} is not suppressed.`
      showList(output, columnsWith(names), page, nobody)
    })

  withApiOptions(suppressions.command('delete <id>'))
    .description('end the suppression of a user: new events are stored again')
    .option('--anonymous', 'the id is an anonymousId')
    .action(async (id: string, { anonymous }: { anonymous?: true }, command: Command) => {
      const api = apiOf(command)
      const ended = anonymous ? { anonymousId: id } : { userId: id }
      await api.endSuppression(ended)
      outputOf(command).data(
        { ...ended, deleted: true },
        () => `New events of ${id} are stored again.`,
      )
    })
}

function columnsWith(names: Names): Column<Suppression>[] {
  return [
    { head: 'user', cell: ({ userId }) => userId ?? '' },
    { head: 'anonymous', cell: ({ anonymousId }) => anonymousId ?? '' },
    { head: 'calls left out', cell: ({ callsLeftOut }) => String(callsLeftOut) },
    { head: 'last', cell: ({ lastLeftOutAt }) => lastLeftOutAt ?? 'never', isTime: true, rank: 1 },
    { head: 'since', cell: ({ since }) => since, isTime: true, rank: 2 },
    {
      head: 'source',
      cell: ({ sourceId }) => (sourceId === null ? 'all' : nameAndId(sourceId, names)),
      rank: 3,
    },
    { head: 'deletion', cell: ({ deletionId }) => deletionId, rank: 4 },
  ]
}
