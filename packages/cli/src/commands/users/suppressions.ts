import type { Suppression } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { definedFields } from '../../api/management-api.ts'
import { showList } from '../../output/list.ts'
import { nameAndId, type Names, sourceNames } from '../../output/names.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand } from '../api-command.ts'

interface ListOptions extends ListPart {
  readonly user?: string
  readonly anonymous?: string
}

export function addSuppressions(program: ApiCommand): void {
  const suppressions = program.command('suppressions').description('list and end user suppressions')

  suppressions
    .api('list', 'list suppressed users, newest first')
    .paged('long')
    .option('--user <id>', 'only suppressions for this userId')
    .option('--anonymous <id>', 'only suppressions for this anonymousId')
    .run(async ({ api, output }, { user, anonymous, ...part }: ListOptions) => {
      const filter = definedFields({ userId: user, anonymousId: anonymous })
      const page = await listPart((next) => api.listSuppressions({ ...filter, ...next }), part)
      const id = user ?? anonymous
      const empty = id === undefined ? 'No suppressed users.' : `${id} is not suppressed.`
      showList(output, columnsWith(await sourceNames(api, output)), page, empty)
    })

  suppressions
    .api('delete <id>', 'end a suppression')
    .option('--anonymous', 'treat the id as an anonymousId')
    .run(async ({ api, output }, id: string, { anonymous }: { anonymous?: true }) => {
      const user = anonymous ? { anonymousId: id } : { userId: id }
      await api.endSuppression(user)
      output.data({ ...user, deleted: true }, () => `New events from ${id} will be stored.`)
    })
}

function columnsWith(names: Names): Column<Suppression>[] {
  return [
    { head: 'user', cell: ({ userId }) => userId ?? '' },
    { head: 'anonymous', cell: ({ anonymousId }) => anonymousId ?? '' },
    { head: 'dropped calls', cell: ({ droppedCalls }) => String(droppedCalls) },
    { head: 'last', cell: ({ lastDroppedAt }) => lastDroppedAt ?? 'never', isTime: true, rank: 1 },
    { head: 'since', cell: ({ since }) => since, isTime: true, rank: 2 },
    {
      head: 'source',
      cell: ({ sourceId }) => (sourceId === null ? 'all' : nameAndId(sourceId, names)),
      rank: 3,
    },
    { head: 'deletion', cell: ({ deletionId }) => deletionId, rank: 4 },
  ]
}
