import type { Replay } from '../../api/generated/management-client.ts'
import { type ListPart, listPart } from '../../api/list-items.ts'
import { showItem, showList } from '../../output/list.ts'
import { destinationNames, nameColumns, type Names } from '../../output/names.ts'
import type { Column } from '../../output/table.ts'
import type { ApiCommand, Context } from '../api-command.ts'

export function addReplays(program: ApiCommand): void {
  const replays = program.command('replays').description('list, show and cancel replays')

  replays
    .api('list', 'list replays, newest first')
    .paged('long')
    .run(async ({ api, output }, part: ListPart) => {
      const page = await listPart(api.listReplays, part)
      const columns = columnsFor(page.data, await destinationNames(api, output))
      showList(output, columns, page, 'No replays. `hookline replay` starts one.')
    })

  replays
    .api('get <id>', 'show a replay')
    .runOn('replay', async (context, id) => show(context, await context.api.getReplay(id)))

  replays
    .api('cancel <id>', 'cancel a replay; queued deliveries are still sent')
    .runOn('replay', async (context, id) => show(context, await context.api.cancelReplay(id, {})))
}

async function show({ api, output }: Context, replay: Replay): Promise<void> {
  showItem(output, columnsFor([replay], await destinationNames(api, output)), replay)
}

function columnsFor(items: readonly Replay[], names: Names): Column<Replay>[] {
  return [
    { head: 'id', cell: ({ id }) => id },
    { head: 'state', cell: ({ state }) => state },
    ...nameColumns('destination', ({ destinationId }: Replay) => destinationId, { names, items }),
    { head: 'requeued', cell: ({ requeued }) => `${requeued}`, rank: 2 },
    { head: 'delivered', cell: ({ delivered }) => `${delivered}` },
    { head: 'failed', cell: ({ failed }) => `${failed}` },
    { head: 'created', cell: ({ createdAt }) => createdAt, isTime: true, rank: 1 },
  ]
}
